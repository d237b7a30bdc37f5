import { useTranslation } from "react-i18next";
import { useLocation } from "react-router";
import { errorText } from "@/api/errors";
import { Alert } from "@/components/alert";
import { Button } from "@/components/button";
import { PasswordField } from "@/components/password-field";
import { TextField } from "@/components/text-field";
import { useUser } from "@/features/account/data";
import { ProviderLink } from "@/features/auth/provider-link";
import { useFieldForm } from "@/lib/use-field-form";
import { showFieldErrors } from "@/records/form-errors";
import { useCompanyInfo } from "@/shell/company-info";
import { useHasPassword } from "./data";

export interface PasswordFormProps {
  lead: string;
  /** The label of a name field, if a name is asked for. */
  nameLabel?: string;
  suggestion?: string;
  /** The name that must be typed as a confirmation. */
  expected?: string;
  action: string;
  danger?: boolean;
  /** Whether an element before the form takes the focus. */
  waits?: boolean;
  /** Rejects with the server's error. */
  onSend: (values: { password: string; name: string }) => Promise<unknown>;
  onCancel: () => void;
}

/** Asks for the password, if the member has one, before a change of sign-in settings. */
export function PasswordForm({ lead, nameLabel, suggestion = "", expected, action, danger, waits, onSend, onCancel }: PasswordFormProps) {
  const { t } = useTranslation();
  const { email } = useUser();
  const { register, handleSubmit, setError, formState } = useFieldForm({ defaultValues: { password: "", name: suggestion } });
  const { errors, isSubmitting } = formState;
  const hasPassword = useHasPassword();
  const { single_sign_on } = useCompanyInfo((state) => state.signIn);
  const { pathname } = useLocation();
  const submit = handleSubmit(async (values) => {
    try {
      await onSend({ ...values, name: values.name.trim() });
    } catch (error) {
      const field = (path: string) => (path === "password" && !hasPassword ? "root" : path);
      if (showFieldErrors(error, setError, (path) => (["password", "name"].includes(path) ? field(path) : undefined))) return;
      setError("root", { type: "server", message: error instanceof DOMException ? t("ui.auth.passkeyFailed") : errorText(error) });
    }
  });
  return (
    <form noValidate aria-busy={isSubmitting} onSubmit={(event) => void submit(event)} className="grid grid-cols-1 gap-4">
      <p className="text-soft">{lead}</p>
      {errors.root && <Alert kind="error">{errors.root.message}</Alert>}
      {/* Without a password, the member proves their identity by signing in again. */}
      {errors.root && !hasPassword && single_sign_on && <ProviderLink {...single_sign_on} to={pathname} />}
      {nameLabel && (
        <TextField
          label={nameLabel}
          autoFocus
          maxLength={60}
          error={errors.name?.message}
          {...register("name", {
            validate: (value) =>
              expected === undefined
                ? value.trim() !== "" || t("ui.form.required")
                : value.trim() === expected || t("ui.security.notTheName", { name: expected }),
          })}
        />
      )}
      {hasPassword && (
        <>
          <input type="email" autoComplete="username" readOnly hidden value={email} aria-hidden="true" tabIndex={-1} />
          <PasswordField
            label={t("ui.security.yourPassword")}
            autoComplete="current-password"
            autoFocus={!nameLabel && !waits}
            error={errors.password?.message}
            {...register("password", { validate: (value) => value !== "" || t("ui.auth.passwordMissing") })}
          />
        </>
      )}
      <div className="mt-1 flex flex-wrap justify-end gap-2">
        <Button onClick={onCancel}>{t("ui.action.cancel")}</Button>
        <Button type="submit" variant={danger ? "danger" : "primary"} busy={isSubmitting} autoFocus={!hasPassword && !nameLabel && !danger}>
          {action}
        </Button>
      </div>
    </form>
  );
}
