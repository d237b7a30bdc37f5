import { type LucideIcon, Trash2 } from "lucide-react";
import { useId, useRef } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import type { usePicture } from "./use-picture";

export interface PictureButtonsProps {
  /** The state of the upload, from `usePicture`. */
  picture: ReturnType<typeof usePicture>;
  icon: LucideIcon;
  /** Which picture, as a form may have several. */
  label: string;
  /** Whether there is a picture to replace or remove. */
  has: boolean;
  onRemove: () => void;
  /** The form's error for the field. */
  error?: string | undefined;
}

/** Buttons to choose, replace and remove a picture, with the accepted types or the error. */
export function PictureButtons({ picture, icon, label, has, onRemove, error }: PictureButtonsProps) {
  const { t } = useTranslation();
  const note = useId();
  const input = useRef<HTMLInputElement>(null);
  const { take, busy, accept } = picture;
  const wrong = picture.wrong ?? error;
  const choose = t(has ? "ui.files.changePicture" : "ui.files.addPicture");
  return (
    <>
      <div className="flex flex-wrap gap-2">
        <Button
          size="sm"
          icon={icon}
          busy={busy}
          aria-label={`${choose}: ${label}`}
          aria-describedby={note}
          onClick={() => input.current?.click()}
        >
          {choose}
        </Button>
        {has && (
          <Button size="sm" variant="ghost" icon={Trash2} aria-label={`${t("ui.files.removePicture")}: ${label}`} onClick={onRemove}>
            {t("ui.files.removePicture")}
          </Button>
        )}
      </div>
      <p id={note} role={wrong ? "alert" : undefined} className={wrong ? "mt-1.5 text-sm text-bad" : "mt-1.5 text-sm text-muted"}>
        {wrong ?? (picture.hint || "\u00a0")}
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
    </>
  );
}
