import { Link2, MailCheck } from "lucide-react";
import { useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { useLocation } from "react-router";
import { Button } from "@/components/button";
import { TextField } from "@/components/text-field";
import { useCompanyInfo } from "@/shell/company-info";
import { BackToSignIn } from "./auth-link";
import { resendConfirmation } from "./data";
import { FormAlert } from "./form-alert";
import { keepGuestInput, readGuestInput } from "./guest-input";
import { Outcome, OutcomeText } from "./outcome";
import { useRules } from "./rules";
import { useCountdown } from "./use-countdown";

/** Seconds before another e-mail can be requested. */
const resendSeconds = 60;

/** Says that a confirmation e-mail was sent, and can send another. */
export function ConfirmationRequiredPage() {
  const { t } = useTranslation();
  const justSent = (useLocation().state as { sent?: boolean } | null)?.sent ?? false;
  const [address] = useState(() => readGuestInput().email.trim());
  const [email, setEmail] = useState(address);
  const [problem, setProblem] = useState<string>();
  const [failure, setFailure] = useState<unknown>();
  const [again, setAgain] = useState(false);
  const [busy, setBusy] = useState(false);
  const sendsEmail = useCompanyInfo((state) => state.signIn.sends_email);
  const [left, countDown] = useCountdown(justSent ? resendSeconds : 0);
  const rules = useRules();
  const field = useRef<HTMLInputElement>(null);
  const send = async () => {
    const fault = rules.email(email);
    setProblem(typeof fault === "string" ? fault : undefined);
    if (typeof fault === "string") field.current?.focus();
    if (typeof fault === "string" || busy) return;
    setBusy(true);
    setFailure(undefined);
    try {
      await resendConfirmation(email.trim());
      setAgain(true);
      countDown(resendSeconds);
    } catch (error) {
      setFailure(error);
    } finally {
      setBusy(false);
    }
  };
  const sent = address ? t("ui.auth.confirmText", { email: address }) : t("ui.auth.confirmTextUnknown");
  const text = sendsEmail ? sent : t("ui.auth.linkKeptText");
  return (
    <Outcome icon={sendsEmail ? MailCheck : Link2} title={t(sendsEmail ? "ui.auth.confirmTitle" : "ui.auth.linkKeptTitle")}>
      <OutcomeText>{text}</OutcomeText>
      <form
        noValidate
        aria-busy={busy}
        onSubmit={(event) => {
          event.preventDefault();
          void send();
        }}
        className="mt-6 grid grid-cols-1 gap-4"
      >
        <FormAlert error={failure} />
        {!address && (
          <TextField
            ref={field}
            label={t("ui.auth.email")}
            type="email"
            autoComplete="username"
            autoCapitalize="none"
            spellCheck={false}
            value={email}
            error={problem}
            onChange={(event) => {
              setEmail(event.target.value);
              keepGuestInput({ email: event.target.value });
            }}
          />
        )}
        <Button type="submit" size="lg" wide busy={busy} disabled={left > 0}>
          {left > 0 ? t("ui.auth.resendIn", { count: left }) : t(sendsEmail ? "ui.auth.resend" : "ui.auth.requestLink")}
        </Button>
        <p role="status" className="text-sm text-muted">
          {sendsEmail && (again ? t("ui.auth.resent") : t("ui.auth.confirmHint"))}
        </p>
      </form>
      <BackToSignIn />
    </Outcome>
  );
}
