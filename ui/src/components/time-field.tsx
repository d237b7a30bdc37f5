import { useId } from "react";
import { useTranslation } from "react-i18next";
import { laterBy, parseTime, timeText } from "@/lib/clock-time";
import { useParsedText } from "@/lib/use-parsed-text";
import { Field, fieldAttributes, inputClass, type ParsedFieldProps } from "./field";

/** Minutes per press of an arrow key. */
const step = 15;

/** A time of day, typed in any form and shown in the region's. The value is `HH:MM`, or empty for none. */
export function TimeField({ label, hint, error, hideLabel, className, value, onChange, onWrong, ref }: ParsedFieldProps<string>) {
  const { t } = useTranslation();
  const id = useId();
  const { typed, type, wrong, leave, choose } = useParsedText({ value, empty: "", parse: parseTime, onChange, onWrong });
  const note = error ?? (wrong ? t("ui.date.invalidTime", { example: timeText("14:30") }) : undefined);
  return (
    <Field id={id} label={label} hint={hint} error={note} className={className} {...(hideLabel && { hideLabel })}>
      <input
        ref={ref}
        {...fieldAttributes(id, { hint, error: note })}
        autoComplete="off"
        value={typed ?? timeText(value)}
        onFocus={(event) => event.currentTarget.select()}
        onChange={(event) => type(event.target.value)}
        onBlur={leave}
        onKeyDown={(event) => {
          if (event.key === "Enter") leave();
          if (event.key !== "ArrowUp" && event.key !== "ArrowDown") return;
          const from = (typed === undefined ? undefined : parseTime(typed)) ?? value;
          if (!from) return;
          event.preventDefault();
          choose(laterBy(from, event.key === "ArrowUp" ? step : -step));
        }}
        className={inputClass}
      />
    </Field>
  );
}
