import { useId } from "react";
import { useTranslation } from "react-i18next";
import { type ColourName, colourNames, namedColour } from "@/lib/colours";
import { cx } from "@/lib/cx";

export interface ColourChoiceProps {
  label: string;
  hideLabel?: boolean;
  /** Empty for none. */
  value: ColourName | "";
  onChange: (value: ColourName | "") => void;
  /** The choice of no colour; without it, there is always one. */
  none?: { label: string; colour: string } | undefined;
  error?: string | undefined;
}

/** A choice of a colour by its name. */
export function ColourChoice({ label, hideLabel, value, onChange, none, error }: ColourChoiceProps) {
  const { t } = useTranslation();
  const group = useId();
  const choices = [
    ...(none ? [{ colour: "" as const, name: none.label, background: none.colour }] : []),
    ...colourNames.map((colour) => ({ colour, name: t(`ui.events.colors.${colour}`), background: namedColour(colour) })),
  ];
  return (
    <fieldset className="min-w-0">
      <legend className={hideLabel ? "sr-only" : "mb-1.5 text-sm font-medium text-gray-700"}>{label}</legend>
      <div className="-m-1 flex flex-wrap">
        {choices.map(({ colour, name, background }) => (
          <label
            key={colour}
            title={name}
            className="touchable relative grid size-9 place-items-center rounded-full has-focus-visible:outline-2 has-focus-visible:outline-primary"
          >
            <input
              type="radio"
              name={group}
              value={colour}
              checked={value === colour}
              onChange={() => onChange(colour)}
              aria-label={name}
              className="peer absolute inset-0 m-0 appearance-none opacity-0"
            />
            <span
              aria-hidden
              className={cx(
                "size-6 rounded-full ring-offset-2 ring-offset-surface peer-checked:ring-2 peer-checked:ring-gray-900",
                background === "transparent" && "border-2 border-dashed border-line-strong",
              )}
              style={{ background }}
            />
          </label>
        ))}
      </div>
      {error && <p className="mt-1.5 text-sm text-bad">{error}</p>}
    </fieldset>
  );
}
