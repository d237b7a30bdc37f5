import { Link2, MailCheck } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { TextField } from "@/components/text-field";
import { useFieldForm } from "@/lib/use-field-form";
import { useCompanyInfo } from "@/shell/company-info";
import { useTitle } from "@/shell/use-title";
import { AuthHead } from "./auth-head";
import { BackToSignIn } from "./auth-link";
import { forgotPassword } from "./data";
import { FormAlert } from "./form-alert";
import { keepGuestInput, readGuestInput } from "./guest-input";
import { Outcome, OutcomeText } from "./outcome";
import { useRules } from "./rules";
import { Split } from "./split";
import { useSubmit } from "./use-submit";

/** Sends a link for a new password; the message does not reveal whether the account exists. */
export function ForgotPasswordPage() {
  const { t } = useTranslation();
  const [sentTo, setSentTo] = useState<string>();
  const sendsEmail = useCompanyInfo((state) => state.signIn.sends_email);
  const form = useFieldForm({ defaultValues: { email: readGuestInput().email } });
  const rules = useRules();
  useTitle(t("ui.auth.forgotTitle"));
  const { busy, failure, submit } = useSubmit(form, ["email"], async ({ email }) => {
    await forgotPassword(email.trim());
    setSentTo(email.trim());
  });
  if (sentTo) {
    return (
      <Outcome icon={sendsEmail ? MailCheck : Link2} title={t(sendsEmail ? "ui.auth.forgotSentTitle" : "ui.auth.linkKeptTitle")}>
        <OutcomeText>{t(sendsEmail ? "ui.auth.forgotSentText" : "ui.auth.forgotKeptText", { email: sentTo })}</OutcomeText>
        {sendsEmail && <p className="mt-4 text-sm text-muted">{t("ui.auth.forgotSentHint")}</p>}
        <Button size="lg" wide className="mt-6" onClick={() => setSentTo(undefined)}>
          {t("ui.auth.otherAddress")}
        </Button>
        <BackToSignIn />
      </Outcome>
    );
  }
  return (
    <Split>
      <AuthHead title={t("ui.auth.forgotTitle")}>{t(sendsEmail ? "ui.auth.forgotLead" : "ui.auth.forgotLeadKept")}</AuthHead>
      <form onSubmit={submit} noValidate aria-busy={busy} className="mt-6 grid grid-cols-1 gap-4">
        <FormAlert error={failure} />
        <TextField
          label={t("ui.auth.email")}
          type="email"
          autoComplete="username"
          autoCapitalize="none"
          spellCheck={false}
          autoFocus
          error={form.formState.errors.email?.message}
          {...form.register("email", { validate: rules.email, onChange: (event) => keepGuestInput({ email: event.target.value }) })}
        />
        <Button type="submit" variant="primary" size="lg" wide busy={busy} className="mt-2">
          {t(sendsEmail ? "ui.auth.sendLink" : "ui.auth.requestLink")}
        </Button>
      </form>
      <BackToSignIn />
    </Split>
  );
}
