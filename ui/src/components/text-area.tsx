import { type ComponentPropsWithRef, useId } from "react";
import { cx } from "@/lib/cx";
import { Field, type FieldProps, fieldAttributes, inputClass } from "./field";

export interface TextAreaProps extends FieldProps, Omit<ComponentPropsWithRef<"textarea">, "className" | "id"> {}

/** Several lines of text; grows with the text. */
export function TextArea({ label, hint, error, hideLabel, className, rows = 3, ...rest }: TextAreaProps) {
  const id = useId();
  return (
    <Field id={id} label={label} hint={hint} error={error} className={className} required={rest.required} {...(hideLabel && { hideLabel })}>
      <textarea
        rows={rows}
        {...fieldAttributes(id, { hint, error })}
        className={cx(inputClass, "h-auto field-sizing-content max-h-80 min-h-20 py-2.5")}
        {...rest}
      />
    </Field>
  );
}
