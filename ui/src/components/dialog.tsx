import { X } from "lucide-react";
import { type KeyboardEvent, type ReactNode, useEffect, useRef } from "react";
import { Dialog as Inner } from "react-aria-components/Dialog";
import { Heading } from "react-aria-components/Heading";
import { Modal, ModalOverlay } from "react-aria-components/Modal";
import { useTranslation } from "react-i18next";
import { cx } from "@/lib/cx";
import { commitTyped, isSaveKey } from "@/lib/save-key";
import { IconButton } from "./icon-button";
import { useDismissable } from "./use-dismissable";

export interface DialogProps {
  title: string;
  isOpen: boolean;
  onOpenChange: (open: boolean) => void;
  /** Buttons at the lower right, the main one last. */
  footer?: ReactNode;
  className?: string;
  /** Whether the content is shown only once; then only the dialog's own buttons close it. */
  once?: boolean;
  /** Whether only `autoFocus` of its fields places the focus. */
  hasOwnFocus?: boolean;
  children: ReactNode;
}

/** Fields that are typed in or chosen from; of check boxes, one reads the others first. */
const fields =
  "input:not([type=checkbox], [type=radio], [type=hidden], [readonly], :disabled), textarea:not([readonly], :disabled), button[aria-haspopup=listbox]:not(:disabled)";

/** The content of a dialog. The first field has the focus at first, unless another one takes it. */
function Content({ hasOwnFocus, children }: Required<Pick<DialogProps, "hasOwnFocus">> & { children: ReactNode }) {
  const box = useRef<HTMLDivElement>(null);
  // Before the effect of React Aria, which takes the focus if no part has it; in a layout effect, a dialog below would take it back.
  useEffect(() => {
    const { current } = box;
    if (!current || hasOwnFocus || current.closest("[role=dialog]")?.contains(document.activeElement)) return;
    // A field with a list does not open it by itself: it would cover the others.
    current.dataset.opening = "";
    current.querySelector<HTMLElement>(fields)?.focus();
    delete current.dataset.opening;
  }, [hasOwnFocus]);
  return (
    <div ref={box} className="min-h-0 flex-1 overflow-y-auto px-5 pt-1 pb-5">
      {children}
    </div>
  );
}

/** Presses the button that sends the dialog's form. */
function saveByKey(event: KeyboardEvent<HTMLElement>) {
  const { currentTarget, target } = event;
  // What is opened from the dialog is not in its element.
  if (!isSaveKey(event) || !(target instanceof Node) || !currentTarget.contains(target)) return;
  const button = currentTarget.querySelector<HTMLButtonElement>("button[type=submit]");
  if (!button) return;
  event.preventDefault();
  event.stopPropagation();
  commitTyped();
  button.click();
}

/** A dialog in the middle; the whole screen on phones. Ctrl+Enter sends its form. */
export function Dialog({ title, isOpen, onOpenChange, footer, className, once = false, hasOwnFocus = false, children }: DialogProps) {
  const { t } = useTranslation();
  const isDismissable = useDismissable(isOpen);
  return (
    <ModalOverlay
      isOpen={isOpen}
      onOpenChange={onOpenChange}
      isDismissable={!once && isDismissable}
      isKeyboardDismissDisabled={once}
      className="no-print fixed inset-0 z-[999] grid place-items-center bg-black/40 sm:p-6 entering:animate-fade"
    >
      <Modal
        className={cx(
          "flex size-full flex-col overflow-hidden bg-surface shadow-panel outline-none sm:h-auto sm:max-h-full sm:max-w-130 sm:rounded-2xl entering:animate-enter",
          className,
        )}
      >
        <Inner className="flex min-h-0 flex-1 flex-col outline-none">
          <div className="contents" onKeyDownCapture={saveByKey}>
            <header className="flex items-start gap-3 px-5 pt-4 pb-3">
              <Heading slot="title" className="min-w-0 flex-1 pt-0.5 text-lg font-bold text-ink [overflow-wrap:anywhere]">
                {title}
              </Heading>
              {!once && (
                <IconButton
                  label={t("ui.action.close")}
                  icon={X}
                  size="sm"
                  onClick={() => onOpenChange(false)}
                  className="pointer-coarse:-my-1.5 pointer-coarse:-mr-2.5"
                />
              )}
            </header>
            <Content hasOwnFocus={hasOwnFocus}>{children}</Content>
            {footer && <footer className="flex flex-wrap justify-end gap-2 border-t border-line bg-sunken px-5 py-3.5">{footer}</footer>}
          </div>
        </Inner>
      </Modal>
    </ModalOverlay>
  );
}
