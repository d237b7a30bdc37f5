import type { NavigationItem } from "@/api/schema";
import { cx } from "@/lib/cx";
import { NavigationIcon } from "./navigation-icon";
import { useNavigationWords } from "./navigation-words";
import { type Appearance, useVertical } from "./vertical-context";

const indents = ["pl-3", "pl-11", "pl-15", "pl-19", "pl-23"];
const denseIndents = ["pl-4.5", "pl-12.5", "pl-16.5", "pl-20.5", "pl-24.5"];

/** Returns the classes of a row, tile or icon of the navigation. */
export function rowClass(appearance: Appearance, depth: number, active: boolean, widened: boolean) {
  const at = Math.min(depth, indents.length - 1);
  const tone = active ? "bg-hover text-ink" : "text-soft hover:bg-hover hover:text-ink";
  const common = "group/row relative rounded-[9px] font-medium focus-visible:-outline-offset-2";
  if (appearance === "compact")
    return cx(common, tone, "flex min-h-18 w-full flex-col items-center justify-center gap-1.5 px-1.5 py-3 text-center text-xs");
  if (appearance === "thin") return cx(common, tone, "mx-auto grid size-14 place-items-center");
  return cx(
    common,
    tone,
    "touchable flex min-h-9.5 items-center gap-3 py-2 pr-3 text-left",
    appearance === "dense" ? denseIndents[at] : indents[at],
    appearance === "dense" && "overflow-hidden whitespace-nowrap transition-[width] duration-200 ease-out",
    appearance === "dense" && !widened ? "w-14" : "w-full",
  );
}

/** The content of a row: icon, title, second line and badge, as far as there is room. */
export function RowContent({ item }: { item: NavigationItem }) {
  const words = useNavigationWords();
  const { appearance, widened } = useVertical();
  const narrow = appearance === "dense" && !widened;
  const fade = cx("transition-opacity duration-150", narrow && "opacity-0");
  const badge = item.badge && (
    <em
      className={cx(
        "rounded-lg bg-primary-300 px-1.5 text-2xs font-semibold text-primary-950 not-italic tabular-nums",
        appearance === "compact" && "absolute top-2 left-[54%]",
        appearance === "thin" && "sr-only",
        fade,
      )}
    >
      {item.badge.title}
    </em>
  );
  if (appearance === "thin")
    return (
      <>
        {item.icon ? <NavigationIcon name={item.icon} size={22} /> : <span aria-hidden>{words(item.title).slice(0, 1)}</span>}
        <span className="sr-only">{words(item.title)}</span>
        {badge}
      </>
    );
  if (appearance === "compact")
    return (
      <>
        {item.icon && <NavigationIcon name={item.icon} size={22} />}
        <span className="max-w-full [overflow-wrap:anywhere]">{words(item.title)}</span>
        {badge}
      </>
    );
  return (
    <>
      {item.icon && <NavigationIcon name={item.icon} />}
      <span className={cx("min-w-0 flex-1", fade)}>
        <span className="block truncate">{words(item.title)}</span>
        {item.subtitle && (
          <span className="block truncate text-2xs font-normal text-muted group-hover/row:text-ink group-aria-[current]/row:text-ink">
            {words(item.subtitle)}
          </span>
        )}
      </span>
      {badge}
    </>
  );
}
