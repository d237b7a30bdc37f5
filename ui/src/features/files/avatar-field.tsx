import { Camera, Trash2, UserRound } from "lucide-react";
import { useId, useRef } from "react";
import { useTranslation } from "react-i18next";
import { Avatar } from "@/components/avatar";
import { Button } from "@/components/button";
import { usePicture } from "./use-picture";

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
  const { take, wrong, busy, accept } = usePicture(onChange);
  return (
    <div role="group" aria-label={label} className="flex flex-wrap items-center gap-4">
      {wide ? (
        <span className="block h-14 w-28 shrink-0 overflow-hidden rounded-lg bg-tint">
          {value && <img src={value} alt="" className="size-full object-cover" />}
        </span>
      ) : name.trim() || value ? (
        <Avatar name={name} src={value} size={size} className={busy ? "animate-pulse" : ""} />
      ) : (
        <span className="grid shrink-0 place-items-center rounded-full bg-hover text-muted" style={{ width: size, height: size }}>
          <UserRound aria-hidden size={size * 0.4} />
        </span>
      )}
      <div className="min-w-0">
        <div className="flex flex-wrap gap-2">
          <Button size="sm" icon={Camera} busy={busy} aria-describedby={note} onClick={() => input.current?.click()}>
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
          accept={accept}
          onChange={(event) => {
            take(event.target.files?.[0]);
            event.target.value = "";
          }}
        />
      </div>
    </div>
  );
}
