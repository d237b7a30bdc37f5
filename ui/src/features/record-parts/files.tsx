import { useQuery } from "@tanstack/react-query";
import { FileText, Upload, X } from "lucide-react";
import { type DragEvent, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { ErrorState } from "@/components/error-state";
import { IconButton } from "@/components/icon-button";
import { useMay } from "@/features/account/data";
import { useFileViewer } from "@/features/content/file-viewer";
import { hasPreview, isPicture } from "@/features/content/preview";
import { UploadChips } from "@/features/content/upload-chips";
import { useUploads } from "@/features/content/use-uploads";
import { useMembers } from "@/features/team/data";
import { cx } from "@/lib/cx";
import { fileSize } from "@/lib/file-size";
import { mediumDate } from "@/lib/format";
import { isInAppPath } from "@/lib/links";
import { toast } from "@/lib/toast";
import { recordKinds } from "@/records/kinds";
import { useIsRemoved } from "@/records/removed";
import type { TimelineOf } from "@/records/timelines";
import { filesQuery, useFileCalls } from "./data";

/** The files on a record: pictures and PDFs to view, others to download. Who may change the record adds, drops and removes some. */
export function Files({ kind, id, className }: TimelineOf & { className?: string }) {
  const { t } = useTranslation();
  const record = { kind, id };
  const { data, error, refetch } = useQuery({ ...filesQuery(record), enabled: !useIsRemoved(id) });
  const mayWrite = useMay(`${recordKinds[kind].name}.write`);
  const { find } = useMembers();
  const { add, remove } = useFileCalls(record);
  const uploads = useUploads(0, ({ path }) => add.mutate(path));
  const picker = useRef<HTMLInputElement>(null);
  const view = useFileViewer();
  const [dropping, setDropping] = useState(false);
  const files = (data ?? []).filter(({ file }) => isInAppPath(file.path));
  const previews = files.map(({ file }) => file).filter(hasPreview);
  if (!mayWrite && files.length === 0 && !error) return null;
  const drop = {
    onDragOver: (event: DragEvent) => {
      if (!mayWrite || !event.dataTransfer.types.includes("Files")) return;
      event.preventDefault();
      setDropping(true);
    },
    onDragLeave: () => setDropping(false),
    onDrop: (event: DragEvent) => {
      setDropping(false);
      if (!mayWrite || event.dataTransfer.files.length === 0) return;
      event.preventDefault();
      uploads.take([...event.dataTransfer.files]);
    },
  };
  return (
    <section
      aria-labelledby={`files-${id}`}
      {...drop}
      className={cx("no-print", dropping && "rounded-lg outline-2 outline-offset-4 outline-primary outline-dashed", className)}
    >
      <div className="flex min-h-8.5 items-center justify-between gap-2">
        <h3 id={`files-${id}`} className="text-sm font-semibold text-ink in-[[role=tabpanel]]:sr-only">
          {t("ui.files.title")}
        </h3>
        {mayWrite && (
          <Button
            size="sm"
            variant="ghost"
            icon={Upload}
            className="-mr-2.75 in-[[role=tabpanel]]:-ml-2.75"
            onClick={() => picker.current?.click()}
          >
            {t("ui.files.add")}
          </Button>
        )}
      </div>
      {!data && error && <ErrorState error={error} onRetry={() => void refetch()} />}
      {data && files.length === 0 && <p className="mt-1 text-muted">{t("ui.files.none")}</p>}
      {files.length > 0 && (
        <ul className="mt-1.5 divide-y divide-hover rounded-xl border border-line">
          {files.map((one) => {
            const { file, createdAt, createdBy } = one;
            const note = [fileSize(file.size), find(createdBy)?.name, createdAt && mediumDate(createdAt)].filter(Boolean).join(" · ");
            const name = (
              <span className="min-w-0 flex-1 text-left">
                <span dir="auto" className="block truncate font-medium text-ink">
                  {file.name}
                </span>
                <span className="block truncate text-sm text-muted">{note}</span>
              </span>
            );
            const icon = (
              <span className="grid size-9 shrink-0 place-items-center rounded-md bg-sunken text-muted">
                <FileText aria-hidden size={18} />
              </span>
            );
            const look = "flex min-w-0 flex-1 items-center gap-3 rounded-lg py-1.5 pl-3 hover:bg-hover";
            return (
              <li key={one.id} className="flex items-center gap-1 pr-1">
                {hasPreview(file) ? (
                  <button type="button" aria-haspopup="dialog" onClick={() => view(previews, previews.indexOf(file))} className={look}>
                    {isPicture(file) ? (
                      <img src={file.path} alt="" loading="lazy" className="size-9 shrink-0 rounded-md bg-sunken object-cover" />
                    ) : (
                      icon
                    )}
                    <span className="sr-only">{t("ui.chat.open")} </span>
                    {name}
                  </button>
                ) : (
                  <a href={file.path} download={file.name} className={look}>
                    {icon}
                    <span className="sr-only">{t("ui.chat.download")} </span>
                    {name}
                  </a>
                )}
                {mayWrite && (
                  <IconButton
                    label={t("ui.action.removeNamed", { name: file.name })}
                    icon={X}
                    size="sm"
                    onClick={() =>
                      remove.mutate(one, {
                        onSuccess: () => {
                          const undo = {
                            label: t("ui.action.undo"),
                            run: () => add.mutateAsync(file.path),
                            undone: t("ui.bin.restored", { title: file.name }),
                          };
                          toast.success(t("ui.files.removed", { name: file.name }), undo);
                        },
                      })
                    }
                  />
                )}
              </li>
            );
          })}
        </ul>
      )}
      <div className="-mx-3.5">
        <UploadChips attachments={[]} uploads={uploads.uploads} onRemove={() => undefined} onCancel={uploads.cancel} />
      </div>
      <input
        ref={picker}
        type="file"
        hidden
        multiple
        aria-label={t("ui.files.add")}
        onChange={(event) => {
          uploads.take([...(event.target.files ?? [])]);
          event.target.value = "";
        }}
      />
    </section>
  );
}
