import { ImageUp } from "lucide-react";
import { useTranslation } from "react-i18next";
import { PictureButtons } from "@/features/files/picture-buttons";
import { usePicture } from "@/features/files/use-picture";
import { cx } from "@/lib/cx";

export interface LogoFieldProps {
  label: string;
  /** The background of the logotype. */
  ground: "light" | "dark";
  /** Shown if there is no logotype. */
  name: string;
  value: string | null;
  onChange: (url: string | null) => void;
  error?: string | undefined;
}

/** A logotype, shown on its background. */
export function LogoField({ label, ground, name, value, onChange, error }: LogoFieldProps) {
  const { t } = useTranslation();
  const picture = usePicture(onChange);
  return (
    <div role="group" aria-label={label} className="min-w-0">
      <p className="mb-1.5 text-sm font-medium text-gray-700">{label}</p>
      <div
        className={cx(
          "grid h-28 place-items-center overflow-hidden rounded-xl border p-5",
          ground === "light" ? "border-line bg-white" : "border-gray-900 bg-gray-900",
          picture.busy && "animate-pulse",
        )}
      >
        {value ? (
          <img src={value} alt={t("ui.settings.logoOf", { name })} className="max-h-12 max-w-full object-contain" />
        ) : (
          <b className={cx("max-w-full truncate text-lg font-bold tracking-[-.01em]", ground === "light" ? "text-gray-900" : "text-white")}>
            {name}
          </b>
        )}
      </div>
      <div className="mt-2">
        <PictureButtons picture={picture} icon={ImageUp} label={label} has={Boolean(value)} onRemove={() => onChange(null)} error={error} />
      </div>
    </div>
  );
}
