import { Camera, ImagePlus, Trash2 } from "lucide-react";
import { type ReactNode, useRef } from "react";
import { useTranslation } from "react-i18next";
import { Menu, MenuButton, MenuGroup, MenuItem } from "@/components/menu";
import { cx } from "@/lib/cx";
import { usePicture } from "./use-picture";

/** A picture of a record that its menu changes. */
export interface PictureChoice {
  label: string;
  value: string | null | undefined;
  onChange: (url: string | null) => void;
}

export interface PictureMenuProps {
  pictures: PictureChoice[];
  /** The picture that opens the menu. */
  children: ReactNode;
}

/** The picture of a record as a button whose menu adds, changes and removes it and the others. */
export function PictureMenu({ pictures, children }: PictureMenuProps) {
  const { t } = useTranslation();
  const input = useRef<HTMLInputElement>(null);
  const chosen = useRef<PictureChoice>(undefined);
  const { take, wrong, busy, accept } = usePicture((url) => chosen.current?.onChange(url));
  const choose = (picture: PictureChoice) => {
    chosen.current = picture;
    input.current?.click();
  };
  return (
    <div className="shrink-0">
      <MenuButton
        button={(attributes) => (
          <button
            type="button"
            aria-label={t("ui.files.changePicture")}
            title={t("ui.files.changePicture")}
            aria-busy={busy}
            className={cx("group relative block rounded-full", busy && "animate-pulse")}
            {...attributes}
          >
            {children}
            <span
              aria-hidden
              className="no-print absolute -right-0.5 -bottom-0.5 grid size-6 place-items-center rounded-full border border-line bg-surface text-soft shadow-control opacity-0 transition-opacity group-hover:opacity-100 group-focus-visible:opacity-100 pointer-coarse:opacity-100"
            >
              <Camera size={13} />
            </span>
          </button>
        )}
      >
        <Menu aria-label={t("ui.files.changePicture")}>
          {pictures.map((picture) => (
            <MenuGroup key={picture.label} label={picture.label}>
              <MenuItem icon={<ImagePlus aria-hidden size={16} />} onAction={() => choose(picture)}>
                {t(picture.value ? "ui.files.changePicture" : "ui.files.addPicture")}
              </MenuItem>
              {picture.value && (
                <MenuItem icon={<Trash2 aria-hidden size={16} />} onAction={() => picture.onChange(null)}>
                  {t("ui.files.removePicture")}
                </MenuItem>
              )}
            </MenuGroup>
          ))}
        </Menu>
      </MenuButton>
      {wrong && (
        <p role="alert" className="mt-1.5 max-w-40 text-sm text-bad">
          {wrong}
        </p>
      )}
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
  );
}
