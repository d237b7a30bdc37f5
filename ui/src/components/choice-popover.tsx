import type { ReactNode, RefObject } from "react";
import { ListBox } from "react-aria-components/ListBox";
import { Popover } from "react-aria-components/Popover";
import { useTranslation } from "react-i18next";
import { SkeletonRows } from "./skeleton";

/** Milliseconds after a field gets the focus in which the browser may scroll it into view, as phones do above the keyboard. */
const focusScrollMs = 700;
let focusedAt = Number.NEGATIVE_INFINITY;

addEventListener("focusin", ({ target }) => {
  if (target instanceof Element && target.matches("[role=combobox]")) focusedAt = performance.now();
});

/**
 * React Aria closes a combobox's list when the page scrolls. The page also scrolls by itself: behind a dialog, as records
 * arrive or a banner leaves, while the dialog's field and list stay in place; and when the field gets the focus, while the
 * list moves along. This listener is registered before the first list opens, and so runs before React Aria's.
 */
addEventListener(
  "scroll",
  (event) => {
    const open = document.querySelector("[role=combobox][aria-expanded=true]");
    if (event.target !== document || !open) return;
    if (open.closest("[role=dialog]") || performance.now() - focusedAt < focusScrollMs) event.stopImmediatePropagation();
  },
  true,
);

export interface ChoicePopoverProps<T> {
  /** The element that the list is placed at, if not the input. */
  triggerRef?: RefObject<HTMLElement | null>;
  /** Whether the choices are still being read. */
  isBusy?: boolean;
  /** The text of an empty list; without it, that nothing matches. */
  emptyText?: string;
  children: (option: T) => ReactNode;
}

/** The list of a combobox. */
export function ChoicePopover<T extends object>({ triggerRef, isBusy = false, emptyText, children }: ChoicePopoverProps<T>) {
  const { t } = useTranslation();
  return (
    <Popover
      {...(triggerRef && { triggerRef })}
      offset={4}
      className="flex w-(--trigger-width) flex-col overflow-hidden rounded-xl bg-surface shadow-panel outline-none entering:animate-enter"
    >
      <ListBox<T>
        className="max-h-72 min-h-0 overflow-y-auto overscroll-contain p-1.5 outline-none"
        renderEmptyState={() =>
          isBusy ? (
            <SkeletonRows rows={2} className="p-2.5" />
          ) : (
            <p className="px-2.5 py-2 text-muted">{emptyText ?? t("ui.list.noMatch")}</p>
          )
        }
      >
        {children}
      </ListBox>
    </Popover>
  );
}
