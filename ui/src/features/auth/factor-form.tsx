import { Fingerprint } from "lucide-react";
import { type FormEvent, type ReactNode, useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import type { PasskeyAnswer } from "@/api/schema";
import { Alert } from "@/components/alert";
import { Button } from "@/components/button";
import { TextField } from "@/components/text-field";
import { supportsPasskeys, wasCancelled } from "@/lib/webauthn";
import { askForPasskey } from "./data";
import { totpDigits } from "./rules";

const known = ["totp", "recovery", "passkey"] as const;
type Factor = (typeof known)[number];

export interface FactorFormProps {
  /** The names of the factors that the server accepts. */
  factors: string[];
  /** The error of the last attempt. */
  message: string | undefined;
  /** Whether the code was wrong or already used. */
  wrongCode: boolean;
  busy: boolean;
  onCode: (code: string) => void;
  onPasskey: (answer: PasskeyAnswer) => void;
  /** What stands above the form, with what it asks for. */
  head: (lead: string) => ReactNode;
  /** What stands below the other ways. */
  foot: ReactNode;
}

/** Asks for a second factor: a code from the authenticator, a recovery code, or a passkey. */
export function FactorForm({ factors, message: said, wrongCode, busy, onCode, onPasskey, head, foot }: FactorFormProps) {
  const { t } = useTranslation();
  const ways = known.filter((factor) => factors.includes(factor) && (factor !== "passkey" || supportsPasskeys()));
  const [way, setWay] = useState<Factor>(ways.includes("totp") ? "totp" : (ways.at(0) ?? "recovery"));
  const [code, setCode] = useState("");
  const [refused, setRefused] = useState(false);
  const [asking, setAsking] = useState(false);
  // Hides the error of one method after a change to another.
  const [over, setOver] = useState(false);
  const message = over ? undefined : said && wrongCode && way === "recovery" ? t("ui.auth.wrongRecoveryCode") : said;
  const form = useRef<HTMLFormElement>(null);
  const sent = useRef("");
  // After an error, the code is cleared and its field focused.
  useEffect(() => {
    if (!message || busy) return;
    setCode("");
    sent.current = "";
    form.current?.querySelector("input")?.focus();
  }, [message, busy]);

  const send = (value: string) => {
    const text = value.replaceAll(/\s/g, "");
    if (text === "" || busy || sent.current === text) return;
    sent.current = text;
    setOver(false);
    onCode(text);
  };
  const type = (value: string) => {
    setCode(value);
    if (way === "totp" && value.replaceAll(/\D/g, "").length === totpDigits) send(value.replaceAll(/\D/g, ""));
  };
  const askPasskey = async () => {
    setRefused(false);
    setOver(true);
    setAsking(true);
    try {
      const answer = await askForPasskey();
      setOver(false);
      onPasskey(answer);
    } catch (error) {
      if (!wasCancelled(error)) setRefused(true);
    } finally {
      setAsking(false);
    }
  };
  const choose = (other: Factor) => {
    setWay(other);
    setOver(true);
    setRefused(false);
    setCode("");
    sent.current = "";
    if (other === "passkey") void askPasskey();
  };

  return (
    <>
      {head(t(`ui.auth.factorLead.${way}`))}
      <form
        ref={form}
        key={way}
        noValidate
        aria-busy={busy}
        onSubmit={(event: FormEvent) => {
          event.preventDefault();
          if (way === "passkey") void askPasskey();
          else send(code);
        }}
        className="mt-6 grid grid-cols-1 gap-4"
      >
        {(message || refused) && (
          <Alert kind="error" look="outline">
            {message ?? t("ui.auth.passkeyFailed")}
          </Alert>
        )}
        {way === "passkey" ? (
          <Button type="submit" variant="primary" size="lg" wide icon={Fingerprint} busy={busy || asking} autoFocus>
            {t("ui.auth.usePasskey")}
          </Button>
        ) : (
          <>
            <TextField
              label={t(way === "totp" ? "ui.auth.code" : "ui.auth.recoveryCode")}
              name="code"
              autoFocus
              autoComplete="one-time-code"
              autoCapitalize="none"
              spellCheck={false}
              inputMode={way === "totp" ? "numeric" : "text"}
              maxLength={way === "totp" ? 9 : 40}
              value={code}
              onChange={(event) => type(event.target.value)}
              className="[&_input]:font-mono [&_input]:!h-12 [&_input]:!text-lg [&_input]:tracking-[.2em]"
            />
            <Button type="submit" variant="primary" size="lg" wide busy={busy} className="mt-2">
              {t("ui.auth.confirm")}
            </Button>
          </>
        )}
      </form>
      <div className="mt-4 grid justify-items-center gap-1">
        {ways
          .filter((other) => other !== way)
          .map((other) => (
            <Button key={other} variant="ghost" wide onClick={() => choose(other)}>
              {t(`ui.auth.factorInstead.${other}`)}
            </Button>
          ))}
        {foot}
      </div>
    </>
  );
}
