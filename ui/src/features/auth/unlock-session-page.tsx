import { LockKeyhole } from "lucide-react";
import { type FormEvent, lazy, Suspense, useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { useNavigate, useSearchParams } from "react-router";
import { ApiError } from "@/api/errors";
import type { UnlockInput } from "@/api/schema";
import { forgetSession, useSession } from "@/api/session";
import { Alert } from "@/components/alert";
import { Avatar } from "@/components/avatar";
import { Button } from "@/components/button";
import { PasswordField } from "@/components/password-field";
import { safeRedirect } from "@/lib/links";
import { useCompanyInfo } from "@/shell/company-info";
import { useTitle } from "@/shell/use-title";
import { AuthHead } from "./auth-head";
import { AuthLink } from "./auth-link";
import { attemptsLeft, isWrongCode, neededFactors, unlock } from "./data";
import { ProviderLink } from "./provider-link";
import { refusalText } from "./refusal-text";
import { Split } from "./split";

const FactorStep = lazy(() => import("./factor-step"));

/** Unlocks the session in all tabs. */
export function UnlockSessionPage() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const [search] = useSearchParams();
  const { state, who } = useSession();
  // A member who uses single sign-on may have no password.
  const { single_sign_on } = useCompanyInfo((state) => state.signIn);
  // Kept until the page closes, also after the session is unlocked.
  const [person] = useState(who);
  const [password, setPassword] = useState("");
  const [missing, setMissing] = useState(false);
  const [factors, setFactors] = useState<string[]>([]);
  const [message, setMessage] = useState<string>();
  const [wrongCode, setWrongCode] = useState(false);
  const [busy, setBusy] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  const ended = useRef(false);
  const [wanted] = useState(() => safeRedirect(search.get("redirectURL")));
  useTitle(t("ui.auth.locked"));
  // Unlocked here or in another tab: returns to the previous address.
  useEffect(() => {
    if (state === "signed-in") void navigate(wanted, { replace: true });
    if (state === "guest" && !ended.current) void navigate("/sign-in", { replace: true });
  }, [state, wanted, navigate]);

  const open = async (more: Omit<UnlockInput, "password"> = {}) => {
    if (busy) return;
    setBusy(true);
    setMessage(undefined);
    setWrongCode(false);
    try {
      await unlock({ password, ...more });
    } catch (error) {
      if (error instanceof ApiError && error.status === 401) {
        ended.current = true;
        forgetSession();
        const back = new URLSearchParams({ error: "locked_out", redirectURL: wanted });
        await navigate(`/sign-in?${back}`, { replace: true });
        return;
      }
      const needed = neededFactors(error);
      if (needed) return setFactors(needed);
      const left = attemptsLeft(error);
      if (isWrongCode(error)) {
        setWrongCode(true);
        return setMessage(refusalText(t, error));
      }
      setFactors([]);
      setPassword("");
      const wrong = error instanceof ApiError && error.code === "invalid_credentials";
      setMessage(
        wrong
          ? [t("ui.auth.wrongPassword"), left !== undefined && t("ui.auth.attemptsLeft", { count: left })].filter(Boolean).join(" ")
          : refusalText(t, error),
      );
      requestAnimationFrame(() => field.current?.focus());
    } finally {
      setBusy(false);
    }
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setMissing(password === "");
    if (password === "") field.current?.focus();
    else void open();
  };

  if (factors.length > 0) {
    return (
      <Split>
        <Suspense>
          <FactorStep
            factors={factors}
            message={message}
            wrongCode={wrongCode}
            busy={busy}
            onCode={(code) => void open({ code })}
            onPasskey={(passkey) => void open({ passkey })}
            onBack={() => {
              setFactors([]);
              setPassword("");
            }}
          />
        </Suspense>
      </Split>
    );
  }
  return (
    <Split>
      <AuthHead title={t("ui.auth.locked")}>
        {single_sign_on ? t("ui.auth.lockedLeadSignOn", { name: single_sign_on.name }) : t("ui.auth.lockedLead")}
      </AuthHead>
      <form onSubmit={submit} noValidate aria-busy={busy} className="mt-6 grid grid-cols-1 gap-4">
        {message && (
          <Alert kind="error" look="outline">
            {message}
          </Alert>
        )}
        {person && (
          <div className="flex items-center gap-3 rounded-control border border-line bg-sunken px-3.5 py-3">
            <Avatar name={person.name} size={40} />
            <div className="min-w-0 flex-1">
              <p className="truncate font-semibold text-ink">{person.name}</p>
              <p className="truncate text-sm text-muted">{person.email}</p>
            </div>
            <LockKeyhole aria-hidden size={18} className="text-muted" />
          </div>
        )}
        {/* Tells password managers which account the password belongs to. */}
        <input type="email" autoComplete="username" readOnly hidden value={person?.email ?? ""} aria-hidden="true" tabIndex={-1} />
        <PasswordField
          ref={field}
          label={t("ui.auth.password")}
          autoComplete="current-password"
          autoFocus
          value={password}
          error={missing && password === "" ? t("ui.auth.passwordMissing") : undefined}
          onChange={(event) => setPassword(event.target.value)}
        />
        <Button type="submit" variant="primary" size="lg" wide busy={busy} className="mt-2">
          {t("ui.auth.unlock")}
        </Button>
      </form>
      {single_sign_on && (
        <div className="mt-3 grid grid-cols-1">
          <ProviderLink {...single_sign_on} to={wanted} />
        </div>
      )}
      <p className="mt-6 text-center text-muted">
        {t("ui.auth.notYou")} <AuthLink to="/sign-out">{t("ui.auth.signOut")}</AuthLink>
      </p>
    </Split>
  );
}
