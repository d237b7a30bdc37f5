import { useId } from "react";
import { useTranslation } from "react-i18next";
import { type ColourName, colourNames, namedColour } from "@/lib/colours";

export interface ColourFieldProps {
  value: ColourName | "";
  onChange: (value: ColourName | "") => void;
  error: string | undefined;
}

/** The colour of an event in the calendar. */
export function ColourField({ value, onChange, error }: ColourFieldProps) {
  const { t } = useTranslation();
  const group = useId();
  return (
    <fieldset>
      <legend className="mb-1.5 text-sm font-medium text-gray-700">{t("ui.events.color")}</legend>
      <div className="-m-1 flex flex-wrap">
        {(["", ...colourNames] as const).map((colour) => (
          <label
            key={colour}
            title={t(`ui.events.colors.${colour || "none"}`)}
            className="relative grid size-9 place-items-center rounded-full has-focus-visible:outline-2 has-focus-visible:outline-primary"
          >
            <input
              type="radio"
              name={group}
              value={colour}
              checked={value === colour}
              onChange={() => onChange(colour)}
              aria-label={t(`ui.events.colors.${colour || "none"}`)}
              className="peer absolute inset-0 m-0 appearance-none opacity-0"
            />
            <span
              aria-hidden
              className="size-6 rounded-full ring-offset-2 ring-offset-surface peer-checked:ring-2 peer-checked:ring-gray-900"
              style={{ background: namedColour(colour || undefined) }}
            />
          </label>
        ))}
      </div>
      {error && <p className="mt-1.5 text-sm text-bad">{error}</p>}
    </fieldset>
  );
}
