import { Timer } from "lucide-react";
import { Dialog } from "react-aria-components/Dialog";
import { Heading } from "react-aria-components/Heading";
import { Modal, ModalOverlay } from "react-aria-components/Modal";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";

/** Asks whether the member is still present, a minute before the session is locked. */
export default function IdleWarning({ left, onStay }: { left: number; onStay: () => void }) {
  const { t } = useTranslation();
  return (
    <ModalOverlay
      isOpen
      onOpenChange={onStay}
      isDismissable
      className="no-print fixed inset-0 z-[1000] grid place-items-center bg-black/40 p-4 entering:animate-fade"
    >
      <Modal className="w-full max-w-100 overflow-hidden rounded-2xl bg-surface shadow-panel outline-none entering:animate-enter">
        <Dialog role="alertdialog" className="p-6 text-center outline-none">
          <span className="mx-auto grid size-13 place-items-center rounded-full bg-tint text-on-tint">
            <Timer aria-hidden size={26} />
          </span>
          <Heading slot="title" className="mt-4 text-lg font-bold text-ink">
            {t("ui.lock.soon")}
          </Heading>
          <p className="mt-1 text-soft">{t("ui.lock.soonText")}</p>
          <p aria-hidden className="mt-3 text-3xl font-title text-ink tabular-nums">
            {left}
          </p>
          <Button variant="primary" size="lg" wide autoFocus className="mt-5" onClick={onStay}>
            {t("ui.lock.stay")}
          </Button>
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}
