import { TriangleAlert } from "lucide-react";
import type { ReactNode } from "react";
import { Dialog } from "react-aria-components/Dialog";
import { Heading } from "react-aria-components/Heading";
import { Modal, ModalOverlay } from "react-aria-components/Modal";
import { useTranslation } from "react-i18next";
import { Button } from "./button";

export interface ConfirmDialogProps {
  title: string;
  text: string;
  /** The button's verb: "Delete", never "OK". */
  confirm: string;
  isOpen: boolean;
  onOpenChange: (open: boolean) => void;
  onConfirm: () => void;
  danger?: boolean;
  /** Options to choose before confirming. */
  children?: ReactNode;
}

/** Asks before an action that cannot be undone. */
export function ConfirmDialog({ title, text, confirm, isOpen, onOpenChange, onConfirm, danger = true, children }: ConfirmDialogProps) {
  const { t } = useTranslation();
  return (
    <ModalOverlay
      isOpen={isOpen}
      onOpenChange={onOpenChange}
      className="no-print fixed inset-0 z-[999] grid place-items-center bg-black/40 p-4 entering:animate-fade"
    >
      <Modal className="w-full max-w-105 overflow-hidden rounded-2xl bg-surface shadow-panel outline-none entering:animate-enter">
        <Dialog role="alertdialog" className="outline-none">
          <div className="flex gap-4 p-5">
            <span
              className={
                danger
                  ? "grid size-11 shrink-0 place-items-center rounded-full bg-bad-soft text-bad"
                  : "grid size-11 shrink-0 place-items-center rounded-full bg-tint text-on-tint"
              }
            >
              <TriangleAlert aria-hidden size={22} />
            </span>
            <div className="min-w-0">
              <Heading slot="title" className="text-lg font-bold text-ink">
                {title}
              </Heading>
              {children}
              <p className="mt-1 text-soft">{text}</p>
            </div>
          </div>
          <footer className="flex flex-wrap justify-end gap-2 border-t border-line bg-sunken px-5 py-3.5">
            <Button autoFocus onClick={() => onOpenChange(false)}>
              {t("ui.action.cancel")}
            </Button>
            <Button
              variant={danger ? "danger" : "primary"}
              onClick={() => {
                onConfirm();
                onOpenChange(false);
              }}
            >
              {confirm}
            </Button>
          </footer>
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}
