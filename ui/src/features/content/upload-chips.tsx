import { CircleAlert, FileText, X } from "lucide-react";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { AttachedFile } from "@/api/schema";
import { cx } from "@/lib/cx";
import { fileSize } from "@/lib/file-size";
import { formatNumber } from "@/lib/format";
import { isPicture } from "./preview";
import type { Uploading } from "./use-uploads";

interface ChipProps {
  icon: ReactNode;
  name: string;
  note: string;
  wrong?: boolean;
  share?: number | undefined;
  onRemove: () => void;
  removeLabel: string;
}

function Chip({ icon, name, note, wrong, share, onRemove, removeLabel }: ChipProps) {
  return (
    <li
      className={cx(
        "relative flex h-13 w-56 max-w-full items-center gap-2.5 overflow-hidden rounded-xl border pr-1 pl-2.5",
        wrong ? "border-bad bg-bad-soft" : "border-line bg-surface",
      )}
    >
      {icon}
      <span className="min-w-0 flex-1">
        <span dir="auto" className="block truncate text-sm font-medium text-ink">
          {name}
        </span>
        <span
          role={wrong ? "alert" : undefined}
          title={wrong ? note : undefined}
          className={cx("block truncate text-xs", wrong ? "text-bad" : "text-muted")}
        >
          {note}
        </span>
      </span>
      <button
        type="button"
        aria-label={removeLabel}
        onClick={onRemove}
        className="touchable grid size-8 shrink-0 place-items-center rounded-lg text-muted hover:bg-hover hover:text-ink focus-visible:-outline-offset-2"
      >
        <X aria-hidden size={16} />
      </button>
      {share !== undefined && (
        <span
          role="progressbar"
          aria-label={name}
          aria-valuemin={0}
          aria-valuemax={100}
          aria-valuenow={Math.round(share * 100)}
          className="absolute inset-x-0 bottom-0 h-0.75 bg-hover"
        >
          <span className="block h-full bg-primary transition-[width]" style={{ width: `${share * 100}%` }} />
        </span>
      )}
    </li>
  );
}

export interface UploadChipsProps {
  attachments: AttachedFile[];
  uploads: Uploading[];
  onRemove: (attachment: AttachedFile) => void;
  onCancel: (id: number) => void;
}

/** The files of the message, and those that are still uploading. */
export function UploadChips({ attachments, uploads, onRemove, onCancel }: UploadChipsProps) {
  const { t } = useTranslation();
  if (attachments.length + uploads.length === 0) return null;
  return (
    <ul aria-label={t("ui.chat.attachments")} className="flex max-h-36 flex-wrap gap-2 overflow-y-auto px-3.5 pt-3">
      {attachments.map((one) => (
        <Chip
          key={one.path}
          icon={
            isPicture(one) ? (
              <img src={one.path} alt="" className="size-8.5 shrink-0 rounded-md bg-sunken object-cover" />
            ) : (
              <FileText aria-hidden size={20} className="shrink-0 text-muted" />
            )
          }
          name={one.name}
          note={fileSize(one.size)}
          removeLabel={t("ui.action.removeNamed", { name: one.name })}
          onRemove={() => onRemove(one)}
        />
      ))}
      {uploads.map(({ id, name, size, share, wrong }) => (
        <Chip
          key={id}
          icon={
            wrong ? (
              <CircleAlert aria-hidden size={20} className="shrink-0 text-bad" />
            ) : (
              <FileText aria-hidden size={20} className="shrink-0 text-muted" />
            )
          }
          name={name}
          note={wrong ?? `${fileSize(size)} · ${formatNumber(share, { style: "percent", maximumFractionDigits: 0 })}`}
          wrong={wrong !== undefined}
          share={wrong === undefined ? share : undefined}
          removeLabel={wrong ? t("ui.action.removeNamed", { name }) : t("ui.chat.cancelUpload", { name })}
          onRemove={() => onCancel(id)}
        />
      ))}
    </ul>
  );
}
