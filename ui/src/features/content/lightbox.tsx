import viewer from "virtual:pdf-viewer";
import { ChevronLeft, ChevronRight, Download, FileWarning, RotateCw, X, ZoomIn, ZoomOut } from "lucide-react";
import { useEffect, useEffectEvent, useRef } from "react";
import { Dialog } from "react-aria-components/Dialog";
import { Modal, ModalOverlay } from "react-aria-components/Modal";
import { useTranslation } from "react-i18next";
import type { AttachedFile } from "@/api/schema";
import { Button, buttonLook } from "@/components/button";
import { IconButton } from "@/components/icon-button";
import { useDismissable } from "@/components/use-dismissable";
import { cx } from "@/lib/cx";
import { formatNumber } from "@/lib/format";
import { isSingleKey } from "@/lib/keys";
import { type ScrollKey, scrollKeys, type ZoomStep } from "./pdf-messages";
import { isPdf } from "./preview";
import { type Pdf, usePdf } from "./use-pdf";

export interface LightboxProps {
  files: AttachedFile[];
  at: number;
  onMove: (at: number) => void;
  onClose: () => void;
}

const tool = "!text-white hover:!bg-white/15 focus-visible:!outline-white";
const zoomSteps: Record<string, ZoomStep> = { "+": 1, "=": 1, "-": -1, "0": 0 };

/** A picture or PDF as large as the window allows; the arrow keys show the other files of the message or record. */
export default function Lightbox({ files, at, onMove, onClose }: LightboxProps) {
  const { t } = useTranslation();
  const isDismissable = useDismissable();
  const file = files[at];
  const document = file && isPdf(file) ? file : undefined;
  const stage = useRef<HTMLDivElement>(null);
  const go = (step: number) => onMove((at + step + files.length) % files.length);
  const several = files.length > 1;
  const pdf = usePdf(document, (key) => {
    if (key === "Escape") onClose();
    else if (several) go(key === "ArrowRight" ? 1 : -1);
  });
  const press = useEffectEvent((event: KeyboardEvent) => {
    const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    const zoom = zoomSteps[event.key];
    if (step !== 0) go(step);
    else if (document && zoom !== undefined && isSingleKey(event, stage.current?.closest("[role=dialog]"))) pdf.zoom(zoom);
    else if (document && scrollKeys.some((key) => key === event.key)) pdf.scroll(event.key as ScrollKey);
    else return;
    event.preventDefault();
  });
  useEffect(() => {
    const key = (event: KeyboardEvent) => press(event);
    addEventListener("keydown", key);
    return () => removeEventListener("keydown", key);
  }, []);
  if (!file) return null;
  return (
    <ModalOverlay
      isOpen
      onOpenChange={(open) => !open && onClose()}
      isDismissable={isDismissable}
      className="no-print fixed inset-0 z-[999] bg-black/95 entering:animate-fade"
    >
      <Modal className="size-full outline-none">
        <Dialog aria-label={file.name} className="flex size-full flex-col outline-none">
          <header className="flex items-center gap-1 py-2 pr-2 pl-4 text-white">
            <div className="min-w-0 flex-1">
              <h2 dir="auto" className="truncate font-medium">
                {file.name}
              </h2>
              {document && <Place pdf={pdf} />}
            </div>
            {document && <ZoomTools pdf={pdf} />}
            <a
              href={file.path}
              download={file.name}
              aria-label={t("ui.chat.downloadNamed", { name: file.name })}
              className={cx("grid size-10 shrink-0 place-items-center rounded-control", tool)}
            >
              <Download aria-hidden size={20} />
            </a>
            <IconButton label={t("ui.action.close")} icon={X} onClick={onClose} className={tool} />
          </header>
          {document ? (
            <div ref={stage} className={cx("relative flex min-h-0 flex-1 flex-col", several && "sm:px-16")}>
              <Document file={document} pdf={pdf} />
              {several && (
                <div className="flex justify-between px-2 pb-2 sm:contents">
                  <Arrow isNext={false} onPress={() => go(-1)} className="sm:!absolute" />
                  <Arrow isNext onPress={() => go(1)} className="sm:!absolute" />
                </div>
              )}
            </div>
          ) : (
            // biome-ignore lint/a11y/noStaticElementInteractions: the keyboard closes with Escape and the button
            // biome-ignore lint/a11y/useKeyWithClickEvents: see above
            <div
              ref={stage}
              onClick={(event) => event.target === event.currentTarget && onClose()}
              className="relative grid min-h-0 flex-1 place-items-center p-3 sm:px-16 sm:pb-6"
            >
              <img
                src={file.path}
                alt={file.name}
                width={file.width}
                height={file.height}
                className="max-h-full max-w-full rounded-lg object-contain"
                style={{ height: "auto", width: "auto" }}
              />
              {several && (
                <>
                  <Arrow isNext={false} onPress={() => go(-1)} className="!absolute top-1/2 -translate-y-1/2" />
                  <Arrow isNext onPress={() => go(1)} className="!absolute top-1/2 -translate-y-1/2" />
                </>
              )}
            </div>
          )}
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}

function Arrow({ isNext, onPress, className }: { isNext: boolean; onPress: () => void; className: string }) {
  const { t } = useTranslation();
  return (
    <IconButton
      label={t(isNext ? "ui.action.next" : "ui.action.previous")}
      icon={isNext ? ChevronRight : ChevronLeft}
      onClick={onPress}
      className={cx("bg-black/40 sm:top-1/2 sm:-translate-y-1/2", isNext ? "right-2" : "left-2", className, tool)}
    />
  );
}

/** The page in view and the zoom; its line is there from the start, so that nothing moves. */
function Place({ pdf: { state, view } }: { pdf: Pdf }) {
  const { t } = useTranslation();
  return (
    <p className="h-5 truncate text-sm text-white/75">
      {state.is === "shown" && view && (
        <>
          {t("ui.preview.page", { page: view.page, pages: state.pages })}
          {view.zoom !== 1 && ` · ${formatNumber(view.zoom, { style: "percent" })}`}
        </>
      )}
    </p>
  );
}

function ZoomTools({ pdf: { state, view, zoom } }: { pdf: Pdf }) {
  const { t } = useTranslation();
  const isShown = state.is === "shown";
  return (
    <>
      <IconButton
        label={t("ui.preview.zoomOut")}
        icon={ZoomOut}
        disabled={!isShown || view?.isSmallest}
        onClick={() => zoom(-1)}
        className={tool}
      />
      <IconButton
        label={t("ui.preview.zoomIn")}
        icon={ZoomIn}
        disabled={!isShown || view?.isLargest}
        onClick={() => zoom(1)}
        className={tool}
      />
    </>
  );
}

/** The frame that shows the document, or why it does not. */
function Document({ file, pdf: { frame, state, attempt, retry } }: { file: AttachedFile; pdf: Pdf }) {
  const { t } = useTranslation();
  if (state.is === "failed") {
    return (
      <div role="alert" className="flex flex-1 flex-col items-center justify-center px-6 text-center text-white">
        <span className="grid size-14 place-items-center rounded-full bg-white/12">
          <FileWarning aria-hidden size={26} />
        </span>
        <p className="mt-4 max-w-96">{t(`ui.preview.failed.${state.reason}`)}</p>
        <div className="mt-5 flex flex-wrap justify-center gap-2">
          {state.reason === "unreachable" && (
            <Button icon={RotateCw} onClick={retry}>
              {t("ui.action.retry")}
            </Button>
          )}
          <a href={file.path} download={file.name} className={buttonLook({})}>
            <Download aria-hidden size={18} />
            {t("ui.chat.download")}
          </a>
        </div>
      </div>
    );
  }
  return (
    <>
      {/* Without `allow-same-origin`, the document's reader has no origin, and so no session, storage or call. */}
      <iframe
        key={attempt}
        ref={frame}
        src={viewer}
        sandbox="allow-scripts"
        title={t("ui.preview.contents", { name: file.name })}
        aria-hidden={state.is === "opening" || undefined}
        className="min-h-0 w-full flex-1 rounded-lg -outline-offset-2 [color-scheme:light] focus-visible:outline-2 focus-visible:outline-white"
      />
      {state.is === "opening" && (
        <p role="status" className="pointer-events-none absolute inset-x-0 top-1/3 animate-late text-center text-white/75">
          {t("ui.preview.opening")}
        </p>
      )}
    </>
  );
}
