import { Eye, EyeOff } from "lucide-react";
import { type ComponentPropsWithRef, useId, useState } from "react";
import { useTranslation } from "react-i18next";
import { Field, type FieldProps, fieldAttributes, fieldButtonClass, inputClass } from "./field";

export interface PasswordFieldProps extends FieldProps, Omit<ComponentPropsWithRef<"input">, "className" | "id" | "type"> {}

/** A password field with a button that shows the typed text. */
export function PasswordField({ label, hint, error, hideLabel, className, ...rest }: PasswordFieldProps) {
  const { t } = useTranslation();
  const id = useId();
  const [shown, setShown] = useState(false);
  const Icon = shown ? EyeOff : Eye;
  return (
    <Field id={id} label={label} hint={hint} error={error} className={className} required={rest.required} {...(hideLabel && { hideLabel })}>
      <span className="relative block">
        <input
          data-secret
          type={shown ? "text" : "password"}
          {...fieldAttributes(id, { hint, error })}
          className={`${inputClass} pr-11`}
          {...rest}
        />
        <button
          type="button"
          aria-label={t(shown ? "ui.action.hidePassword" : "ui.action.showPassword")}
          onClick={() => setShown(!shown)}
          className={`${fieldButtonClass} top-1.25 right-1.25 size-8 pointer-coarse:right-0`}
        >
          <Icon aria-hidden size={18} />
        </button>
      </span>
    </Field>
  );
}
