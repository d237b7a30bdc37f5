import { useMutation } from "@tanstack/react-query";
import { Camera, Trash2, UserRound } from "lucide-react";
import { useId, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { errorText } from "@/api/errors";
import { Avatar } from "@/components/avatar";
import { Button } from "@/components/button";
import { fileLimit, pictureTypes, upload } from "./data";

export interface AvatarFieldProps {
  label: string;
  /** Whose picture: gives the initials while there is none. */
  name: string;
  value: string | null;
  onChange: (url: string | null) => void;
  size?: number;
  /** A band across the top instead of a face. */
  wide?: boolean;
}

/** A person's picture: chosen from the disk, shown at once, taken away again. */
export function AvatarField({ label, name, value, onChange, size = 80, wide = false }: AvatarFieldProps) {
  const { t } = useTranslation();
  const note = useId();
  const input = useRef<HTMLInputElement>(null);
  const [wrong, setWrong] = useState<string | undefined>();
  const { mutate, isPending } = useMutation({
    mutationFn: upload,
    meta: { handled: true },
    onSuccess: ({ url }) => onChange(url),
    onError: (error) => setWrong(errorText(error)),
  });
  const take = (file: File | undefined) => {
    if (!file) return;
    if (!pictureTypes.includes(file.type)) setWrong(t("ui.files.pictureType"));
    else if (file.size > fileLimit) setWrong(t("ui.files.pictureSize"));
    else {
      setWrong(undefined);
      mutate(file);
    }
  };
  return (
    <div role="group" aria-label={label} className="flex flex-wrap items-center gap-4">
      {wide ? (
        <span className="block h-14 w-28 shrink-0 overflow-hidden rounded-lg bg-tint">
          {value && <img src={value} alt="" className="size-full object-cover" />}
        </span>
      ) : name.trim() || value ? (
        <Avatar name={name} src={value} size={size} className={isPending ? "animate-pulse" : ""} />
      ) : (
        <span className="grid shrink-0 place-items-center rounded-full bg-hover text-muted" style={{ width: size, height: size }}>
          <UserRound aria-hidden size={size * 0.4} />
        </span>
      )}
      <div className="min-w-0">
        <div className="flex flex-wrap gap-2">
          <Button size="sm" icon={Camera} busy={isPending} aria-describedby={note} onClick={() => input.current?.click()}>
            {value ? t("ui.files.changePicture") : t("ui.files.addPicture")}
          </Button>
          {value && (
            <Button size="sm" variant="ghost" icon={Trash2} onClick={() => onChange(null)}>
              {t("ui.files.removePicture")}
            </Button>
          )}
        </div>
        <p id={note} role={wrong ? "alert" : undefined} className={wrong ? "mt-1.5 text-sm text-bad" : "mt-1.5 text-sm text-muted"}>
          {wrong ?? t("ui.files.pictureHint")}
        </p>
        <input
          ref={input}
          type="file"
          hidden
          accept={pictureTypes.join(",")}
          onChange={(event) => {
            take(event.target.files?.[0]);
            event.target.value = "";
          }}
        />
      </div>
    </div>
  );
}
