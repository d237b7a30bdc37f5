import { ChevronRight } from "lucide-react";
import { useId } from "react";
import type { NavigationItem } from "@/api/schema";
import { cx } from "@/lib/cx";
import { AsideItem } from "./aside-item";
import { NavigationLink } from "./navigation-link";
import { isActive, shown, useNavigationWords } from "./navigation-words";
import { useVertical } from "./vertical-context";
import { RowContent, rowClass } from "./vertical-row";

export interface VerticalItemsProps {
  items: NavigationItem[];
  depth: number;
  /** The branches above these items, outermost first. */
  above: string[];
}

/** A heading with its items, which are always visible. */
function Group({ item, depth, above }: { item: NavigationItem; depth: number; above: string[] }) {
  const words = useNavigationWords();
  const { appearance, widened } = useVertical();
  const heading = useId();
  const narrow = appearance === "dense" && !widened;
  const tiles = appearance === "compact" || appearance === "thin";
  return (
    <li className={tiles ? undefined : "relative pt-3.5"}>
      {narrow && <span aria-hidden className="absolute top-7 left-4 h-0.5 w-6 rounded-full bg-line-strong" />}
      <p
        id={heading}
        className={cx(
          "px-3 pb-1.5 text-[11.5px] leading-4 font-bold tracking-[.06em] text-accent uppercase transition-opacity duration-150",
          appearance === "dense" && "min-h-9 pl-4.5 whitespace-nowrap",
          narrow && "opacity-0",
          tiles && "sr-only",
        )}
      >
        {words(item.title)}
        {item.subtitle && (
          <small className="block truncate text-xs font-normal tracking-normal text-muted normal-case">{words(item.subtitle)}</small>
        )}
      </p>
      <VerticalItems items={shown(item.children)} depth={depth} above={above} labelledBy={heading} />
    </li>
  );
}

/** A row that expands its items. */
function Branch({ item, depth, above }: { item: NavigationItem; depth: number; above: string[] }) {
  const { appearance, widened, open, toggle, path } = useVertical();
  const list = useId();
  const narrow = appearance === "dense" && !widened;
  const isOpen = open.includes(item.id);
  return (
    <li>
      <button
        type="button"
        aria-expanded={isOpen && !narrow}
        aria-controls={list}
        disabled={item.disabled}
        onClick={() => toggle(item.id, above)}
        className={cx(rowClass(appearance, depth, !isOpen && isActive(item, path), widened), "disabled:opacity-40")}
      >
        <RowContent item={item} />
        <ChevronRight
          aria-hidden
          size={16}
          className={cx("transition-[rotate,opacity] duration-200", isOpen && "rotate-90", narrow && "opacity-0")}
        />
      </button>
      <div id={list} hidden={!isOpen || narrow}>
        {isOpen && !narrow && <VerticalItems items={shown(item.children)} depth={depth + 1} above={[...above, item.id]} />}
      </div>
    </li>
  );
}

/** The items of one level. */
export function VerticalItems({ items, depth, above, labelledBy }: VerticalItemsProps & { labelledBy?: string }) {
  const { appearance, widened, over, path, onFollow } = useVertical();
  const words = useNavigationWords();
  const tiles = appearance === "compact" || appearance === "thin";
  return (
    <ul className={tiles ? "grid gap-1" : "grid gap-0.5"} {...(labelledBy && { "aria-labelledby": labelledBy })}>
      {items.map((item) => {
        if (item.type === "divider")
          return <li key={item.id} aria-hidden className={cx("border-t border-line", depth > 0 ? "my-3" : "mx-3 my-6")} />;
        if (item.type === "spacer") return <li key={item.id} aria-hidden className="h-1.5" />;
        const children = shown(item.children);
        if (item.type === "group") return <Group key={item.id} item={item} depth={depth} above={above} />;
        if (children.length > 0) {
          // A second column needs room beside the navigation; tiles cannot expand below themselves.
          const aside = tiles || (item.type === "aside" && !over);
          if (aside)
            return (
              <AsideItem key={item.id} item={item} depth={depth}>
                <VerticalItems items={children} depth={0} above={[]} />
              </AsideItem>
            );
          return <Branch key={item.id} item={item} depth={depth} above={above} />;
        }
        const active = isActive(item, path);
        return (
          <li key={item.id}>
            <NavigationLink
              item={item}
              active={active}
              onFollow={onFollow}
              hint={appearance === "thin" ? words(item.tooltip ?? item.title) : undefined}
              className={rowClass(appearance, depth, active, widened)}
            >
              <RowContent item={item} />
            </NavigationLink>
          </li>
        );
      })}
    </ul>
  );
}
