import { ChevronLeft, ChevronRight, Download, X } from "lucide-react";
import { useEffect, useRef } from "react";
import { Dialog } from "react-aria-components/Dialog";
import { Modal, ModalOverlay } from "react-aria-components/Modal";
import { useTranslation } from "react-i18next";
import type { AttachedFile } from "@/api/schema";
import { IconButton } from "@/components/icon-button";
import { cx } from "@/lib/cx";

export interface LightboxProps {
  pictures: AttachedFile[];
  at: number;
  onMove: (at: number) => void;
  onClose: () => void;
}

const tool = "!text-white hover:!bg-white/15 focus-visible:!outline-white";

/** A picture as large as the window allows; the arrow keys show the message's other pictures. */
export default function Lightbox({ pictures, at, onMove, onClose }: LightboxProps) {
  const { t } = useTranslation();
  const picture = pictures[at];
  const stage = useRef<HTMLDivElement>(null);
  const go = useRef((_step: number) => undefined as unknown);
  go.current = (step) => onMove((at + step + pictures.length) % pictures.length);
  useEffect(() => {
    const key = (event: KeyboardEvent) => {
      const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
      if (step === 0) return;
      event.preventDefault();
      go.current(step);
    };
    addEventListener("keydown", key);
    return () => removeEventListener("keydown", key);
  }, []);
  if (!picture) return null;
  const several = pictures.length > 1;
  return (
    <ModalOverlay
      isOpen
      onOpenChange={(open) => !open && onClose()}
      isDismissable
      className="no-print fixed inset-0 z-[999] bg-black/85 entering:animate-fade"
    >
      <Modal className="size-full outline-none">
        <Dialog aria-label={picture.name} className="flex size-full flex-col outline-none">
          <header className="flex items-center gap-1 py-2 pr-2 pl-4 text-white">
            <h2 dir="auto" className="min-w-0 flex-1 truncate font-medium">
              {picture.name}
            </h2>
            <a
              href={picture.path}
              download={picture.name}
              aria-label={t("ui.chat.downloadNamed", { name: picture.name })}
              className={cx("grid size-10 place-items-center rounded-control", tool)}
            >
              <Download aria-hidden size={20} />
            </a>
            <IconButton label={t("ui.action.close")} icon={X} onClick={onClose} className={tool} />
          </header>
          {/* biome-ignore lint/a11y/noStaticElementInteractions: the keyboard closes with Escape and the button */}
          {/* biome-ignore lint/a11y/useKeyWithClickEvents: see above */}
          <div
            ref={stage}
            onClick={(event) => event.target === event.currentTarget && onClose()}
            className="relative grid min-h-0 flex-1 place-items-center p-3 sm:px-16 sm:pb-6"
          >
            <img
              src={picture.path}
              alt={picture.name}
              width={picture.width}
              height={picture.height}
              className="max-h-full max-w-full rounded-lg object-contain"
              style={{ height: "auto", width: "auto" }}
            />
            {several && (
              <>
                <IconButton
                  label={t("ui.action.previous")}
                  icon={ChevronLeft}
                  onClick={() => go.current(-1)}
                  className={cx("!absolute top-1/2 left-2 -translate-y-1/2 bg-black/40", tool)}
                />
                <IconButton
                  label={t("ui.action.next")}
                  icon={ChevronRight}
                  onClick={() => go.current(1)}
                  className={cx("!absolute top-1/2 right-2 -translate-y-1/2 bg-black/40", tool)}
                />
              </>
            )}
          </div>
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}
