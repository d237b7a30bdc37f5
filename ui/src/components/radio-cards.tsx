import { useId } from "react";

export interface RadioCardsProps<T extends string> {
  label: string;
  /** Whether the label is only for screen readers. */
  hideLabel?: boolean;
  value: T;
  onChange: (value: T) => void;
  /** Each with what it does. */
  options: { value: T; label: string; text: string }[];
}

/** A choice of few options that need an explanation: radio buttons, so the arrow keys work. */
export function RadioCards<T extends string>({ label, hideLabel = false, value, onChange, options }: RadioCardsProps<T>) {
  const id = useId();
  return (
    <fieldset className="grid grid-cols-1 gap-2.5">
      <legend className={hideLabel ? "sr-only" : "mb-1.5 text-sm font-medium text-ink"}>{label}</legend>
      {options.map((option) => (
        <label
          key={option.value}
          className="flex gap-3 rounded-control border border-line px-3.5 py-3 hover:bg-hover has-checked:border-primary has-checked:bg-tint-soft has-focus-visible:outline-2 has-focus-visible:outline-primary"
        >
          <input
            type="radio"
            name={id}
            className="mt-0.75 size-4 shrink-0"
            aria-describedby={`${id}-${option.value}`}
            aria-label={option.label}
            checked={value === option.value}
            onChange={() => onChange(option.value)}
          />
          <span className="min-w-0">
            <span className="block font-medium text-ink">{option.label}</span>
            <span id={`${id}-${option.value}`} className="block text-sm text-muted [overflow-wrap:anywhere]">
              {option.text}
            </span>
          </span>
        </label>
      ))}
    </fieldset>
  );
}
