import { Download, FileText } from "lucide-react";
import { Suspense, useState } from "react";
import { useTranslation } from "react-i18next";
import type { AttachedFile } from "@/api/schema";
import { cx } from "@/lib/cx";
import { lazyOnIdle } from "@/lib/lazy-on-idle";
import { isInAppPath } from "@/lib/links";
import { fileSize } from "./file-size";

const Lightbox = lazyOnIdle(() => import("./lightbox"));

/** Maximum width of a picture, in pixels. */
const maxWidth = 260;
const maxHeight = 220;

export const isPicture = ({ mediaType }: AttachedFile) => /^image\/(png|jpeg|webp|gif)$/.test(mediaType);

/** Returns the size of a picture before it has loaded, so that the layout does not move. */
export function roomOf({ width, height }: AttachedFile): { width: number; height: number } {
  if (!width || !height) return { width: 200, height: 150 };
  const scale = Math.min(1, maxWidth / width, maxHeight / height);
  return { width: Math.max(48, Math.round(width * scale)), height: Math.max(48, Math.round(height * scale)) };
}

/** A message's attachments: pictures to view, other files to download. */
export function Attached({ attachments, isMine }: { attachments: AttachedFile[]; isMine: boolean }) {
  const { t } = useTranslation();
  const [shown, setShown] = useState<number>();
  const own = attachments.filter(({ path }) => isInAppPath(path));
  const pictures = own.filter(isPicture);
  const files = own.filter((one) => !isPicture(one));
  return (
    <div className={cx("flex max-w-full flex-col gap-1.5", isMine && "items-end")}>
      {pictures.length > 0 && (
        <div className={cx("flex max-w-full flex-wrap gap-1.5", isMine && "justify-end")}>
          {pictures.map((picture, at) => {
            const room = roomOf(picture);
            return (
              <button
                key={picture.path}
                type="button"
                aria-label={t("ui.chat.openPicture", { name: picture.name })}
                aria-haspopup="dialog"
                onClick={() => setShown(at)}
                className="max-w-full overflow-hidden rounded-[14px] border border-line bg-sunken"
                style={{ width: room.width, aspectRatio: `${room.width} / ${room.height}` }}
              >
                <img src={picture.path} alt="" width={room.width} height={room.height} loading="lazy" className="size-full object-cover" />
              </button>
            );
          })}
        </div>
      )}
      {files.map((file) => (
        <a
          key={file.path}
          href={file.path}
          download={file.name}
          className="flex w-64 max-w-full items-center gap-2.5 rounded-xl border border-line bg-surface px-3 py-2 text-body shadow-card hover:bg-hover"
        >
          <FileText aria-hidden size={20} className="shrink-0 text-muted" />
          <span className="min-w-0 flex-1">
            <span className="sr-only">{t("ui.chat.download")} </span>
            <span dir="auto" className="block truncate font-medium text-ink">
              {file.name}
            </span>
            <span className="block text-sm text-muted">{fileSize(file.size)}</span>
          </span>
          <Download aria-hidden size={16} className="shrink-0 text-muted" />
        </a>
      ))}
      <Suspense>
        {shown !== undefined && <Lightbox pictures={pictures} at={shown} onMove={setShown} onClose={() => setShown(undefined)} />}
      </Suspense>
    </div>
  );
}
