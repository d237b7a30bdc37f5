import { useState } from "react";
import { useTranslation } from "react-i18next";
import { errorText } from "@/api/errors";
import { Alert } from "@/components/alert";
import { Button } from "@/components/button";
import { Dialog } from "@/components/dialog";
import { PasswordField } from "@/components/password-field";
import { TextField } from "@/components/text-field";
import { useHasPassword } from "@/features/security/data";
import { useFieldForm } from "@/lib/use-field-form";
import { showFieldErrors } from "@/records/form-errors";
import { useCompanyInfo } from "@/shell/company-info";
import { useChangeEmail } from "./data";

interface ChangeProps {
  onSent: (email: string) => void;
  onClose: () => void;
}

function ChangeEmail({ onSent, onClose }: ChangeProps) {
  const { t } = useTranslation();
  const change = useChangeEmail();
  const sendsEmail = useCompanyInfo((state) => state.signIn.sends_email);
  const hasPassword = useHasPassword();
  const { register, handleSubmit, setError, formState } = useFieldForm({ defaultValues: { email: "", password: "" } });
  const { errors } = formState;
  const submit = handleSubmit((values) => {
    const email = values.email.trim();
    change.mutate(
      { ...values, email },
      {
        onSuccess: () => onSent(email),
        onError: (error) => {
          // Without a password, the form has only one field to show an error at.
          const field = (path: string) => (path === "password" && !hasPassword ? "email" : path);
          if (showFieldErrors(error, setError, (path) => (path in values ? field(path) : undefined))) change.reset();
        },
      },
    );
  });
  return (
    <Dialog
      title={t("ui.settings.changeEmail")}
      isOpen
      onOpenChange={onClose}
      footer={
        <>
          <Button onClick={onClose}>{t("ui.action.cancel")}</Button>
          <Button variant="primary" type="submit" form="change-email" busy={change.isPending}>
            {t(sendsEmail ? "ui.settings.sendConfirmation" : "ui.auth.requestLink")}
          </Button>
        </>
      }
    >
      <form
        id="change-email"
        noValidate
        onSubmit={(event) => {
          // For React, this form is inside the account's form.
          event.stopPropagation();
          void submit(event);
        }}
        className="grid grid-cols-1 gap-4"
      >
        <p className="text-soft">{t("ui.settings.changeEmailText")}</p>
        {change.error && <Alert kind="error">{errorText(change.error)}</Alert>}
        <TextField
          label={t("ui.settings.newEmail")}
          type="email"
          inputMode="email"
          autoComplete="email"
          autoFocus
          maxLength={254}
          error={errors.email?.message}
          {...register("email", { validate: (value) => /^\S+@\S+$/.test(value.trim()) || t("ui.form.email") })}
        />
        {hasPassword && (
          <PasswordField
            label={t("ui.security.yourPassword")}
            autoComplete="current-password"
            error={errors.password?.message}
            {...register("password", { validate: (value) => value !== "" || t("ui.auth.passwordMissing") })}
          />
        )}
      </form>
    </Dialog>
  );
}

/** The address for sign-in; a new one is confirmed by the link in an e-mail to it. */
export function EmailField({ email }: { email: string }) {
  const { t } = useTranslation();
  const [open, setOpen] = useState(false);
  const [sentTo, setSentTo] = useState<string>();
  const sendsEmail = useCompanyInfo((state) => state.signIn.sends_email);
  return (
    <div>
      <div className="flex gap-2 max-sm:flex-col sm:items-start">
        <TextField label={t("ui.settings.email")} hint={t("ui.settings.emailHint")} value={email} disabled readOnly className="flex-1" />
        <Button className="max-sm:self-start sm:mt-6.5 sm:!h-10.5" onClick={() => setOpen(true)}>
          {t("ui.settings.change")}
        </Button>
      </div>
      {sentTo && (
        <Alert kind="info" className="mt-3">
          {sendsEmail ? t("ui.settings.emailSent", { email: sentTo }) : t("ui.settings.emailKept", { email: sentTo })}
        </Alert>
      )}
      {open && (
        <ChangeEmail
          onClose={() => setOpen(false)}
          onSent={(address) => {
            setSentTo(address);
            setOpen(false);
          }}
        />
      )}
    </div>
  );
}
