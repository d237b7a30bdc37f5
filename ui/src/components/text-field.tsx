import type { LucideIcon } from "lucide-react";
import { type ComponentPropsWithRef, useId } from "react";
import { cx } from "@/lib/cx";
import { Field, type FieldProps, fieldAttributes, inputClass } from "./field";

export interface TextFieldProps extends FieldProps, Omit<ComponentPropsWithRef<"input">, "className" | "id"> {
  icon?: LucideIcon;
}

/** One line of text; works with `register` of react-hook-form. */
export function TextField({ label, hint, error, hideLabel, className, icon: Icon, type = "text", ...rest }: TextFieldProps) {
  const id = useId();
  return (
    <Field id={id} label={label} hint={hint} error={error} className={className} required={rest.required} {...(hideLabel && { hideLabel })}>
      <span className="relative block">
        {Icon && <Icon aria-hidden size={18} className="absolute top-3 left-3 text-muted" />}
        <input type={type} {...fieldAttributes(id, { hint, error })} className={cx(inputClass, Icon && "pl-9.5")} {...rest} />
      </span>
    </Field>
  );
}
