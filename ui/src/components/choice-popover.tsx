import type { ReactNode, RefObject } from "react";
import { ListBox } from "react-aria-components/ListBox";
import { Popover } from "react-aria-components/Popover";
import { useTranslation } from "react-i18next";

/**
 * React Aria closes the list of a combobox when the page scrolls. Behind a dialog the page also moves by
 * itself, as news arrive or a note leaves; the field in the dialog stays where it is, and so does its list.
 * The listener comes before those of React Aria because it is there before the first list opens.
 */
addEventListener(
  "scroll",
  (event) => {
    if (event.target === document && document.querySelector("[role=dialog] [role=combobox][aria-expanded=true]"))
      event.stopImmediatePropagation();
  },
  true,
);

export interface ChoicePopoverProps<T> {
  /** What the list is placed at, when that is not the input itself. */
  triggerRef?: RefObject<HTMLElement | null>;
  children: (option: T) => ReactNode;
}

/** The list of a combobox. */
export function ChoicePopover<T extends object>({ triggerRef, children }: ChoicePopoverProps<T>) {
  const { t } = useTranslation();
  return (
    <Popover
      {...(triggerRef && { triggerRef })}
      offset={4}
      className="w-(--trigger-width) overflow-hidden rounded-xl bg-surface shadow-panel outline-none entering:animate-enter"
    >
      <ListBox<T>
        className="max-h-72 overflow-y-auto p-1.5 outline-none"
        renderEmptyState={() => <p className="px-2.5 py-2 text-muted">{t("ui.list.noMatch")}</p>}
      >
        {children}
      </ListBox>
    </Popover>
  );
}
