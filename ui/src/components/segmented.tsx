import { type ReactNode, useId } from "react";
import { cx } from "@/lib/cx";

export interface SegmentedProps<T extends string> {
  label: string;
  value: T;
  onChange: (value: T) => void;
  options: { value: T; label: string; icon?: ReactNode }[];
  className?: string | undefined;
  disabled?: boolean;
  /** Whether the chosen option takes the focus where the choice replaces the screen with itself. */
  refocus?: boolean;
}

/** A choice of few options side by side: radio buttons, so the arrow keys work. */
export function Segmented<T extends string>({ label, value, onChange, options, className, disabled, refocus }: SegmentedProps<T>) {
  const name = useId();
  return (
    <fieldset
      className={cx(
        "print:bg-transparent print:p-0 print:[&_label:not(:has(:checked))]:hidden inline-flex rounded-[9px] bg-hover p-0.75",
        className,
      )}
    >
      <legend className="sr-only">{label}</legend>
      {options.map((option) => (
        <label
          key={option.value}
          className="fingertip relative flex items-center justify-center rounded-[7px] px-2.5 pointer-coarse:min-h-9 pointer-coarse:min-w-11 py-1 text-sm font-medium whitespace-nowrap text-soft transition-colors duration-150 hover:text-ink has-checked:bg-surface has-checked:text-ink has-checked:shadow-[0_1px_2px_rgb(16_24_40/.1)] has-disabled:text-muted has-focus-visible:outline-2 has-focus-visible:outline-primary"
        >
          <input
            type="radio"
            name={name}
            value={option.value}
            disabled={disabled}
            checked={option.value === value}
            data-refocus={(refocus && option.value === value) || undefined}
            onChange={() => onChange(option.value)}
            className="absolute inset-0 m-0 appearance-none opacity-0"
          />
          {option.icon ?? option.label}
          {option.icon && <span className="sr-only">{option.label}</span>}
        </label>
      ))}
    </fieldset>
  );
}
