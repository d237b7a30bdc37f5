import { ChevronRight } from "lucide-react";
import { type ReactNode, useId, useRef } from "react";
import type { NavigationItem } from "@/api/schema";
import { Tooltip } from "@/components/tooltip";
import { cx } from "@/lib/cx";
import { isActive, useNavigationWords } from "./navigation-words";
import { useVertical, VerticalContext } from "./vertical-context";
import { RowContent, rowClass } from "./vertical-row";

/** An entry that opens a second column beside the navigation, over the page. */
export function AsideItem({ item, depth, children }: { item: NavigationItem; depth: number; children: ReactNode }) {
  const words = useNavigationWords();
  const state = useVertical();
  const { appearance, widened, path, aside, setAside } = state;
  const button = useRef<HTMLButtonElement>(null);
  const column = useId();
  const open = aside === item.id;
  const active = isActive(item, path);
  const close = () => {
    // The focused element disappears with the column.
    button.current?.focus({ preventScroll: true });
    setAside(undefined);
  };
  const row = (
    <button
      ref={button}
      type="button"
      aria-expanded={open}
      aria-controls={open ? column : undefined}
      disabled={item.disabled}
      onClick={() => setAside(open ? undefined : item.id)}
      className={cx(rowClass(appearance, depth, active || open, widened), "disabled:opacity-40")}
    >
      <RowContent item={item} />
      {appearance !== "compact" && appearance !== "thin" && (
        <ChevronRight aria-hidden size={16} className={cx(appearance === "dense" && !widened && "opacity-0")} />
      )}
    </button>
  );
  return (
    <li
      onKeyDown={(event) => {
        if (event.key !== "Escape" || !open) return;
        event.stopPropagation();
        close();
      }}
      onBlur={(event) => {
        if (event.relatedTarget && !event.currentTarget.contains(event.relatedTarget)) setAside(undefined);
      }}
    >
      {appearance === "thin" ? (
        <Tooltip text={words(item.tooltip ?? item.title)} side="right">
          {row}
        </Tooltip>
      ) : (
        row
      )}
      {open && (
        <>
          {/* biome-ignore lint/a11y/noStaticElementInteractions: keys close by Escape */}
          {/* biome-ignore lint/a11y/useKeyWithClickEvents: keys close by Escape */}
          <div className="fixed inset-y-0 right-0 left-(--column) z-[169] bg-black/30 animate-fade" onClick={close} />
          <div
            id={column}
            className="fixed inset-y-0 left-(--column) z-[170] w-70 max-w-[calc(100vw-var(--column))] overflow-y-auto border-l border-line bg-surface px-3 py-6 text-body shadow-panel animate-enter"
          >
            <p className="px-3 pb-3 text-lg font-bold tracking-[-.01em] text-ink">
              {words(item.title)}
              {item.subtitle && <small className="block text-sm font-normal tracking-normal text-muted">{words(item.subtitle)}</small>}
            </p>
            <VerticalContext.Provider
              value={{
                ...state,
                appearance: "default",
                over: true,
                onFollow: () => {
                  close();
                  state.onFollow?.();
                },
              }}
            >
              {children}
            </VerticalContext.Provider>
          </div>
        </>
      )}
    </li>
  );
}
