import { Fingerprint } from "lucide-react";
import { type FormEvent, lazy, Suspense, useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { ApiError } from "@/api/errors";
import type { CompanyChoice, SignInInput } from "@/api/schema";
import { Alert } from "@/components/alert";
import { Button } from "@/components/button";
import { Checkbox } from "@/components/checkbox";
import { PasswordField } from "@/components/password-field";
import { TextField } from "@/components/text-field";
import { safeRedirect } from "@/lib/links";
import { useCompanyInfo } from "@/shell/company-info";
import { useTitle } from "@/shell/use-title";
import { AuthHead } from "./auth-head";
import { isWrongCode, signIn } from "./data";
import { takeDoorError } from "./door-error";
import { keepGuestInput, readGuestInput } from "./guest-input";
import { ProviderLink } from "./provider-link";
import { refusalText } from "./refusal-text";
import { Split } from "./split";
import { usePasskeys } from "./use-passkeys";

const CompanyStep = lazy(() => import("./company-step"));
const FactorStep = lazy(() => import("./factor-step"));

export interface SignInPageProps {
  /** Preloads the next screen when typing starts. */
  onTyping?: () => void;
  onSignedIn: () => Promise<void> | void;
}

/** The sign-in page. It does not use the router, so that a guest's first load is smaller. */
export function SignInPage({ onTyping, onSignedIn }: SignInPageProps) {
  const { t } = useTranslation();
  const { sign_up, passkeys, single_sign_on } = useCompanyInfo((state) => state.signIn);
  const [values, setValues] = useState(() => ({ email: readGuestInput().email, password: "", rememberMe: false }));
  const [touched, setTouched] = useState<{ email?: boolean; password?: boolean }>({});
  const [company, setCompany] = useState<string>();
  const [companies, setCompanies] = useState<CompanyChoice[]>([]);
  const [factors, setFactors] = useState<string[]>([]);
  const [failure, setFailure] = useState<unknown>();
  const [came, setCame] = useState(takeDoorError);
  const [busy, setBusy] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  useTitle(t("ui.auth.signIn"));
  const typing = values.email !== "";
  useEffect(() => {
    if (typing) onTyping?.();
  }, [typing, onTyping]);

  const attempt = async (call: () => Promise<void>) => {
    if (busy) return;
    setBusy(true);
    setFailure(undefined);
    setCame(undefined);
    try {
      await call();
    } catch (error) {
      setFailure(error);
      // A wrong code can be corrected; other errors restart the sign-in.
      if (isWrongCode(error)) return;
      setCompanies([]);
      setCompany(undefined);
      setFactors([]);
      if (error instanceof ApiError && error.code === "invalid_credentials") {
        setValues((now) => ({ ...now, password: "" }));
        setTouched({});
        requestAnimationFrame(() => form.current?.querySelector<HTMLInputElement>('[name="password"]')?.focus());
      }
    } finally {
      setBusy(false);
    }
  };
  const passkey = usePasskeys({ offered: passkeys, rememberMe: values.rememberMe, attempt, onSignedIn });

  const problems = {
    email:
      values.email.trim() === ""
        ? t("ui.auth.emailMissing")
        : /^\S+@\S+$/.test(values.email.trim())
          ? undefined
          : t("ui.auth.emailInvalid"),
    password: values.password === "" ? t("ui.auth.passwordMissing") : undefined,
  };

  const enter = (more: Partial<SignInInput> = {}) =>
    attempt(async () => {
      const where = more.company ?? company;
      const result = await signIn({ ...values, email: values.email.trim(), ...(where && { company: where }), ...more });
      if (result.state === "signed-in") return onSignedIn();
      if (where) setCompany(where);
      setCompanies(result.state === "choose-company" ? result.companies : []);
      setFactors(result.state === "second-factor" ? result.factors : []);
    });

  const startAgain = () => {
    setCompanies([]);
    setCompany(undefined);
    setFactors([]);
    setFailure(undefined);
    setValues((now) => ({ ...now, password: "" }));
    setTouched({});
  };

  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTouched({ email: true, password: true });
    const first = problems.email ? "email" : problems.password ? "password" : undefined;
    if (first) form.current?.querySelector<HTMLInputElement>(`[name="${first}"]`)?.focus();
    else void enter();
  };

  const message = failure ? refusalText(t, failure) : came;

  if (companies.length > 0 || factors.length > 0) {
    return (
      <Split>
        <Suspense>
          {companies.length > 0 ? (
            <CompanyStep companies={companies} onChoose={(slug) => void enter({ company: slug })} onBack={startAgain} />
          ) : (
            <FactorStep
              factors={factors}
              message={message}
              wrongCode={isWrongCode(failure)}
              busy={busy}
              onCode={(code) => void enter({ code })}
              onPasskey={(answer) => void enter({ passkey: answer })}
              onBack={startAgain}
            />
          )}
        </Suspense>
      </Split>
    );
  }

  const wanted = safeRedirect(new URLSearchParams(location.search).get("redirectURL"));
  return (
    <Split>
      <AuthHead title={t("ui.auth.signIn")}>
        {sign_up ? (
          <>
            {t("ui.auth.noAccount")}{" "}
            <a href="sign-up" className="rounded font-medium text-accent hover:underline">
              {t(sign_up === "first" ? "ui.auth.setUp" : "ui.auth.signUp")}
            </a>
          </>
        ) : (
          t("ui.auth.signInLead")
        )}
      </AuthHead>
      {(single_sign_on || passkey.offered) && (
        <>
          <div className="mt-6 grid grid-cols-1 gap-3">
            {single_sign_on && <ProviderLink {...single_sign_on} to={wanted} />}
            {passkey.offered && (
              <Button wide icon={Fingerprint} busy={passkey.asking} onClick={passkey.ask}>
                {t("ui.auth.usePasskey")}
              </Button>
            )}
          </div>
          <p className="mt-5 -mb-1 flex items-center gap-3 text-sm text-muted before:h-px before:flex-1 before:bg-line after:h-px after:flex-1 after:bg-line">
            {t("ui.auth.or")}
          </p>
        </>
      )}
      <form ref={form} onSubmit={submit} noValidate aria-busy={busy} className="mt-6 grid grid-cols-1 gap-4">
        {message && (
          <Alert kind="error" look="outline">
            {message}
          </Alert>
        )}
        <TextField
          label={t("ui.auth.email")}
          name="email"
          type="email"
          autoComplete={passkey.offered ? "username webauthn" : "username"}
          autoCapitalize="none"
          spellCheck={false}
          autoFocus
          value={values.email}
          error={touched.email ? problems.email : undefined}
          onChange={(event) => {
            setValues({ ...values, email: event.target.value });
            keepGuestInput({ email: event.target.value });
          }}
          onBlur={() => setTouched((now) => ({ ...now, email: now.email || values.email !== "" }))}
        />
        <PasswordField
          label={t("ui.auth.password")}
          name="password"
          autoComplete="current-password"
          value={values.password}
          error={touched.password ? problems.password : undefined}
          onChange={(event) => setValues({ ...values, password: event.target.value })}
        />
        <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 text-sm">
          <Checkbox
            name="rememberMe"
            checked={values.rememberMe}
            onChange={(event) => setValues({ ...values, rememberMe: event.target.checked })}
          >
            {t("ui.auth.rememberMe")}
          </Checkbox>
          <a href="forgot-password" className="rounded font-medium text-accent hover:underline">
            {t("ui.auth.forgot")}
          </a>
        </div>
        <Button type="submit" variant="primary" size="lg" wide busy={busy} className="mt-2">
          {t("ui.auth.signIn")}
        </Button>
      </form>
    </Split>
  );
}
