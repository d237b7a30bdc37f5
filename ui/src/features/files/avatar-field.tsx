import { Camera, UserRound } from "lucide-react";
import { useId } from "react";
import { Avatar } from "@/components/avatar";
import { PictureButtons } from "./picture-buttons";
import { usePicture } from "./use-picture";

export interface AvatarFieldProps {
  label: string;
  /** The person's name, for the initials if there is no picture. */
  name: string;
  value: string | null;
  onChange: (url: string | null) => void;
  size?: number;
  /** Shows a wide picture instead of a face. */
  wide?: boolean;
}

/** A person's picture: uploaded, shown at once, removable. */
export function AvatarField({ label, name, value, onChange, size = 80, wide = false }: AvatarFieldProps) {
  const id = useId();
  const picture = usePicture(onChange);
  return (
    <div role="group" aria-labelledby={id} className="flex flex-wrap items-center gap-4">
      {wide ? (
        <span className="block h-14 w-28 shrink-0 overflow-hidden rounded-lg bg-tint">
          {value && <img src={value} alt="" className="size-full object-cover" />}
        </span>
      ) : name.trim() || value ? (
        <Avatar name={name} src={value} size={size} className={picture.busy ? "animate-pulse" : ""} />
      ) : (
        <span className="grid shrink-0 place-items-center rounded-full bg-hover text-muted" style={{ width: size, height: size }}>
          <UserRound aria-hidden size={size * 0.4} />
        </span>
      )}
      <div className="min-w-0">
        <span id={id} className="mb-1.5 block text-sm font-medium text-gray-700">
          {label}
        </span>
        <PictureButtons picture={picture} icon={Camera} label={label} has={Boolean(value)} onRemove={() => onChange(null)} />
      </div>
    </div>
  );
}
