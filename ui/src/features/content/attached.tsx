import { Download, FileText } from "lucide-react";
import { useTranslation } from "react-i18next";
import type { AttachedFile } from "@/api/schema";
import { cx } from "@/lib/cx";
import { fileSize } from "@/lib/file-size";
import { isInAppPath } from "@/lib/links";
import { useFileViewer } from "./file-viewer";
import { hasPreview, isPdf, isPicture } from "./preview";

/** Maximum width of a picture, in pixels. */
const maxWidth = 260;
const maxHeight = 220;

/** Returns the size of a picture before it has loaded, so that the layout does not move. */
export function roomOf({ width, height }: AttachedFile): { width: number; height: number } {
  if (!width || !height) return { width: 200, height: 150 };
  const scale = Math.min(1, maxWidth / width, maxHeight / height);
  return { width: Math.max(48, Math.round(width * scale)), height: Math.max(48, Math.round(height * scale)) };
}

/** The look of a file that is not a picture. */
const card =
  "flex w-64 max-w-full items-center gap-2.5 rounded-xl border border-line bg-surface px-3 py-2 text-body shadow-card hover:bg-hover";

/** A message's attachments: pictures and PDFs to view, other files to download. */
export function Attached({ attachments, isMine }: { attachments: AttachedFile[]; isMine: boolean }) {
  const { t } = useTranslation();
  const view = useFileViewer();
  const own = attachments.filter(({ path }) => isInAppPath(path));
  const pictures = own.filter(isPicture);
  const files = own.filter((one) => !isPicture(one));
  const previews = own.filter(hasPreview);
  const open = (file: AttachedFile) => view(previews, previews.indexOf(file));
  return (
    <div className={cx("flex max-w-full flex-col gap-1.5", isMine && "items-end")}>
      {pictures.length > 0 && (
        <div className={cx("flex max-w-full flex-wrap gap-1.5", isMine && "justify-end")}>
          {pictures.map((picture) => {
            const room = roomOf(picture);
            return (
              <button
                key={picture.path}
                type="button"
                aria-label={t("ui.chat.openPicture", { name: picture.name })}
                aria-haspopup="dialog"
                onClick={() => open(picture)}
                className="max-w-full overflow-hidden rounded-[14px] border border-line bg-sunken"
                style={{ width: room.width, aspectRatio: `${room.width} / ${room.height}` }}
              >
                <img src={picture.path} alt="" width={room.width} height={room.height} loading="lazy" className="size-full object-cover" />
              </button>
            );
          })}
        </div>
      )}
      {files.map((file) => {
        const label = (
          <span className="min-w-0 flex-1 text-left">
            <span dir="auto" className="block truncate font-medium text-ink">
              {file.name}
            </span>
            <span className="block text-sm text-muted">{fileSize(file.size)}</span>
          </span>
        );
        const icon = <FileText aria-hidden size={20} className="shrink-0 text-muted" />;
        if (isPdf(file)) {
          return (
            <button key={file.path} type="button" aria-haspopup="dialog" onClick={() => open(file)} className={card}>
              {icon}
              <span className="sr-only">{t("ui.chat.open")} </span>
              {label}
            </button>
          );
        }
        return (
          <a key={file.path} href={file.path} download={file.name} className={card}>
            {icon}
            <span className="sr-only">{t("ui.chat.download")} </span>
            {label}
            <Download aria-hidden size={16} className="shrink-0 text-muted" />
          </a>
        );
      })}
    </div>
  );
}
