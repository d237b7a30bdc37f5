import { type Ref, useId } from "react";
import { useTranslation } from "react-i18next";
import { numberText, parseNumber } from "@/lib/numbers";
import { useParsedText } from "@/lib/use-parsed-text";
import { Field, type FieldProps, fieldAttributes, inputClass } from "./field";

export interface NumberFieldProps extends FieldProps {
  /** Null for none. */
  value: number | null;
  onChange: (value: number | null) => void;
  /** Receives whether the text that was typed is no number, and so is not the value. */
  onWrong?: (isWrong: boolean) => void;
  disabled?: boolean;
  ref?: Ref<HTMLInputElement>;
}

/** A number, typed and shown in the language's form. */
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
