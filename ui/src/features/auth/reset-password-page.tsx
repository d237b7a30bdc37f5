import { CircleCheck } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { ButtonLink } from "@/components/button-link";
import { ErrorState } from "@/components/error-state";
import { NewPasswordField, usePasswordRule } from "@/components/new-password-field";
import { PasswordField } from "@/components/password-field";
import { Skeleton } from "@/components/skeleton";
import { dropLinkToken } from "@/lib/link-token";
import { useFieldForm } from "@/lib/use-field-form";
import { useTitle } from "@/shell/use-title";
import { AuthHead } from "./auth-head";
import { BackToSignIn } from "./auth-link";
import { resetPassword } from "./data";
import { FormAlert } from "./form-alert";
import { keepGuestInput } from "./guest-input";
import { LinkGone } from "./link-gone";
import { Outcome, OutcomeText } from "./outcome";
import { Split } from "./split";
import { isLinkGone, useLink } from "./use-link";
import { useSubmit } from "./use-submit";

/** Sets a new password by the link from an e-mail; ends all earlier sessions. */
export function ResetPasswordPage() {
  const { t } = useTranslation();
  const { token, read, retry, gone } = useLink();
  const [done, setDone] = useState(false);
  const form = useFieldForm({ defaultValues: { password: "", again: "" } });
  const { errors } = form.formState;
  const rule = usePasswordRule();
  useTitle(t("ui.auth.resetTitle"));
  const { busy, failure, submit } = useSubmit(form, ["password"], async ({ password }) => {
    try {
      await resetPassword(token, password);
    } catch (error) {
      if (isLinkGone(error)) return gone();
      throw error;
    }
    dropLinkToken();
    if (read.state === "read") keepGuestInput({ email: read.link.email });
    setDone(true);
  });
  if (done) {
    return (
      <Outcome icon={CircleCheck} tone="good" title={t("ui.auth.resetDone")}>
        <OutcomeText>{t("ui.auth.resetDoneText")}</OutcomeText>
        <ButtonLink to="/sign-in" variant="primary" size="lg" wide className="mt-7">
          {t("ui.auth.signIn")}
        </ButtonLink>
      </Outcome>
    );
  }
  if (read.state === "gone" || (read.state === "read" && read.link.purpose !== "reset")) {
    return (
      <LinkGone title={t("ui.auth.linkGone")} text={t("ui.auth.resetGone")}>
        <ButtonLink to="/forgot-password" variant="primary" size="lg" wide className="mt-7">
          {t("ui.auth.sendLink")}
        </ButtonLink>
        <BackToSignIn />
      </LinkGone>
    );
  }
  return (
    <Split>
      <AuthHead title={t("ui.auth.resetTitle")}>
        {read.state === "read" ? t("ui.auth.resetLead", { email: read.link.email }) : <Skeleton className="h-5 w-3/4" />}
      </AuthHead>
      {read.state === "failed" ? (
        <ErrorState error={read.error} onRetry={retry} />
      ) : (
        <form onSubmit={submit} noValidate aria-busy={busy || read.state === "reading"} className="mt-6 grid grid-cols-1 gap-4">
          <FormAlert error={failure} />
          {/* Tells password managers which account the password belongs to. */}
          <input
            type="email"
            autoComplete="username"
            readOnly
            hidden
            value={read.state === "read" ? read.link.email : ""}
            aria-hidden="true"
            tabIndex={-1}
          />
          <NewPasswordField
            label={t("ui.auth.newPassword")}
            autoFocus
            typed={form.watch("password")}
            error={errors.password?.message}
            {...form.register("password", { validate: rule, deps: ["again"] })}
          />
          <PasswordField
            label={t("ui.auth.repeatPassword")}
            autoComplete="new-password"
            error={errors.again?.message}
            {...form.register("again", {
              validate: (value, { password }) => value === password || t("ui.auth.passwordsDiffer"),
            })}
          />
          <Button type="submit" variant="primary" size="lg" wide busy={busy} disabled={read.state === "reading"} className="mt-2">
            {t("ui.auth.setPassword")}
          </Button>
        </form>
      )}
      <BackToSignIn />
    </Split>
  );
}
