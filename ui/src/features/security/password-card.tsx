import { useTranslation } from "react-i18next";
import { errorText } from "@/api/errors";
import { Alert } from "@/components/alert";
import { Button } from "@/components/button";
import { Card } from "@/components/card";
import { NewPasswordField, usePasswordRule } from "@/components/new-password-field";
import { PasswordField } from "@/components/password-field";
import { useUser } from "@/features/account/data";
import { toast } from "@/lib/toast";
import { useFieldForm } from "@/lib/use-field-form";
import { showFieldErrors } from "@/records/form-errors";
import { useChangePassword, useHasPassword } from "./data";

const fields = ["currentPassword", "newPassword"];

/** Changes the password; ends all other sessions. */
export function PasswordCard() {
  const { t } = useTranslation();
  const { email } = useUser();
  const change = useChangePassword();
  const { register, handleSubmit, reset, setError, watch, formState } = useFieldForm({
    defaultValues: { currentPassword: "", newPassword: "" },
  });
  const { errors, isDirty } = formState;
  const rule = usePasswordRule();
  const hasPassword = useHasPassword();
  /** An empty form is no attempt: it cannot be sent, and it is not wrong. */
  const isEmpty = (values: { currentPassword: string; newPassword: string }) => !values.currentPassword && !values.newPassword;
  const submit = handleSubmit((values) =>
    change.mutate(values, {
      onSuccess: () => {
        reset();
        toast.success(t("ui.security.passwordChanged"));
      },
      onError: (error) => {
        // Without a current password, the form has only one field to show an error at.
        const field = (path: string) => (hasPassword || path !== "currentPassword" ? path : "newPassword");
        if (showFieldErrors(error, setError, (path) => (fields.includes(path) ? field(path) : undefined))) change.reset();
      },
    }),
  );
  return (
    <Card
      title={t("ui.security.password")}
      subtitle={t(hasPassword ? "ui.security.passwordLead" : "ui.security.noPasswordLead")}
      className="sm:px-6"
    >
      <form noValidate onSubmit={(event) => void submit(event)} className="grid grid-cols-1 gap-5">
        {change.error && <Alert kind="error">{errorText(change.error)}</Alert>}
        {/* Tells password managers which account the password belongs to. */}
        <input type="email" autoComplete="username" readOnly hidden value={email} aria-hidden="true" tabIndex={-1} />
        <div className="grid grid-cols-1 gap-5 sm:grid-cols-2">
          {hasPassword && (
            <PasswordField
              label={t("ui.security.currentPassword")}
              autoComplete="current-password"
              error={errors.currentPassword?.message}
              {...register("currentPassword", {
                validate: (value, values) => isEmpty(values) || value !== "" || t("ui.auth.passwordMissing"),
              })}
            />
          )}
          <NewPasswordField
            label={t("ui.security.newPassword")}
            typed={watch("newPassword")}
            error={errors.newPassword?.message}
            {...register("newPassword", { validate: (value, values) => isEmpty(values) || rule(value) })}
          />
        </div>
        <Button type="submit" variant="primary" busy={change.isPending} disabled={!isDirty} className="justify-self-end">
          {t(hasPassword ? "ui.security.changePassword" : "ui.security.setPassword")}
        </Button>
      </form>
    </Card>
  );
}
