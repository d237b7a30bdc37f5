import { useId } from "react";
import { useTranslation } from "react-i18next";
import { numberText, parseNumber } from "@/lib/numbers";
import { useParsedText } from "@/lib/use-parsed-text";
import { Field, fieldAttributes, inputClass, type ParsedFieldProps } from "./field";

export interface NumberFieldProps extends ParsedFieldProps<number | null> {
  disabled?: boolean;
}

/** A number, typed and shown in the language's form; null for none. */
export function NumberField({ label, hint, error, hideLabel, className, value, onChange, onWrong, disabled, ref }: NumberFieldProps) {
  const { t } = useTranslation();
  const id = useId();
  const { typed, type, wrong, leave } = useParsedText({ value, empty: null, parse: parseNumber, onChange, onWrong });
  const note = error ?? (wrong ? t("ui.fields.notANumber") : undefined);
  return (
    <Field id={id} label={label} hint={hint} error={note} className={className} {...(hideLabel && { hideLabel })}>
      <input
        ref={ref}
        {...fieldAttributes(id, { hint, error: note })}
        inputMode="decimal"
        autoComplete="off"
        disabled={disabled}
        value={typed ?? (value === null ? "" : numberText(value))}
        onChange={(event) => type(event.target.value)}
        onBlur={leave}
        onKeyDown={(event) => event.key === "Enter" && leave()}
        className={inputClass}
      />
    </Field>
  );
}
