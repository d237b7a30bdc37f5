import { useMutation } from "@tanstack/react-query";
import { File as FileIcon, Image as ImageIcon, Link2, type LucideIcon, Plus, Upload, X } from "lucide-react";
import { type KeyboardEvent, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { errorText } from "@/api/errors";
import { Button } from "@/components/button";
import { IconButton } from "@/components/icon-button";
import { TextField } from "@/components/text-field";
import { upload } from "@/features/files/data";
import { useFileLimit } from "@/features/files/use-file-limit";
import { isInAppPath, isSafeLink } from "@/lib/links";
import type { Attached } from "./form-values";

const icons: Record<Attached["kind"], LucideIcon> = { media: ImageIcon, docs: FileIcon, links: Link2 };

export interface AttachmentsFieldProps {
  value: Attached[];
  onChange: (value: Attached[]) => void;
  error: string | undefined;
}

/** Uploaded files and web addresses. */
export function AttachmentsField({ value, onChange, error }: AttachmentsFieldProps) {
  const { t } = useTranslation();
  const limit = useFileLimit();
  const input = useRef<HTMLInputElement>(null);
  const [wrong, setWrong] = useState<string | undefined>();
  const [link, setLink] = useState<string | undefined>();
  const { mutate, isPending } = useMutation({
    mutationFn: upload,
    meta: { handled: true },
    onSuccess: ({ url, name, type }) => onChange([...value, { kind: type.startsWith("image/") ? "media" : "docs", url, name }]),
    onError: (reason) => setWrong(errorText(reason)),
  });
  const take = (file: File | undefined) => {
    if (!file) return;
    const isTooLarge = limit.isTooLarge(file);
    setWrong(isTooLarge ? t("ui.files.fileSize", { max: limit.text }) : undefined);
    if (!isTooLarge) mutate(file);
  };
  const addLink = () => {
    const typed = (link ?? "").trim();
    const url = isSafeLink(typed) ? typed : `https://${typed}`;
    if (!typed || isInAppPath(url) || !isSafeLink(url)) {
      setWrong(t("ui.customers.linkInvalid"));
      return;
    }
    setWrong(undefined);
    setLink(undefined);
    onChange([...value, { kind: "links", url, name: "" }]);
  };
  return (
    <fieldset>
      <legend className="mb-1.5 text-sm font-medium text-gray-700">{t("ui.customers.attachments")}</legend>
      {value.length > 0 && (
        <ul className="mb-2 divide-y divide-hover rounded-control border border-line">
          {value.map((one) => {
            const Icon = icons[one.kind];
            return (
              <li key={`${one.kind} ${one.url}`} className="flex min-h-10 items-center gap-2.5 py-1 pr-1 pl-3">
                <Icon aria-hidden size={16} className="text-muted" />
                <span dir="auto" className="min-w-0 flex-1 truncate">
                  {one.name || one.url}
                </span>
                <IconButton
                  label={t("ui.action.removeNamed", { name: one.name || one.url })}
                  icon={X}
                  size="sm"
                  onClick={() => onChange(value.filter((other) => other !== one))}
                />
              </li>
            );
          })}
        </ul>
      )}
      {link !== undefined ? (
        <div key="link" className="flex items-start gap-2">
          <TextField
            label={t("ui.customers.linkAddress")}
            hideLabel
            autoFocus
            type="url"
            className="flex-1"
            placeholder="https://"
            value={link}
            onChange={(event) => setLink(event.target.value)}
            onKeyDown={(event: KeyboardEvent) => {
              if (event.key === "Enter") {
                event.preventDefault();
                addLink();
              } else if (event.key === "Escape") {
                event.stopPropagation();
                setLink(undefined);
              }
            }}
          />
          <Button className="!h-10.5" onClick={addLink}>
            {t("ui.action.add")}
          </Button>
        </div>
      ) : (
        <div key="buttons" className="-ml-2.75 flex flex-wrap">
          <Button size="sm" variant="ghost" icon={Upload} busy={isPending} onClick={() => input.current?.click()}>
            {t("ui.customers.addFile")}
          </Button>
          <Button data-refocus size="sm" variant="ghost" icon={Plus} onClick={() => setLink("")}>
            {t("ui.customers.addLink")}
          </Button>
        </div>
      )}
      {(wrong ?? error) && (
        <p role="alert" className="mt-1.5 text-sm text-bad">
          {wrong ?? error}
        </p>
      )}
      <input
        ref={input}
        type="file"
        hidden
        onChange={(event) => {
          take(event.target.files?.[0]);
          event.target.value = "";
        }}
      />
    </fieldset>
  );
}
