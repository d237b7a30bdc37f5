import { Building2, ChevronRight } from "lucide-react";
import { type FormEvent, useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { ApiError, errorText } from "@/api/errors";
import type { CompanyChoice } from "@/api/schema";
import { Alert } from "@/components/alert";
import { Button } from "@/components/button";
import { Checkbox } from "@/components/checkbox";
import { PasswordField } from "@/components/password-field";
import { TextField } from "@/components/text-field";
import { useTitle } from "@/lib/use-title";
import { signIn } from "./data";
import { Split } from "./split";

export interface SignInPageProps {
  /** Fetches the screen after this one, once somebody begins to type. */
  onTyping?: () => void;
  onSignedIn: () => Promise<void> | void;
}

/** Knows nothing of the router, so that a guest's first load does without it. */
export function SignInPage({ onTyping, onSignedIn }: SignInPageProps) {
  const { t } = useTranslation();
  const [values, setValues] = useState({ email: "", password: "", rememberMe: false });
  const [touched, setTouched] = useState<{ email?: boolean; password?: boolean }>({});
  const [companies, setCompanies] = useState<CompanyChoice[]>([]);
  const [failure, setFailure] = useState<unknown>();
  const [busy, setBusy] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  useTitle(t("ui.auth.signIn"));
  const typing = values.email !== "";
  useEffect(() => {
    if (typing) onTyping?.();
  }, [typing, onTyping]);

  const problems = {
    email:
      values.email.trim() === ""
        ? t("ui.auth.emailMissing")
        : /^\S+@\S+$/.test(values.email.trim())
          ? undefined
          : t("ui.auth.emailInvalid"),
    password: values.password === "" ? t("ui.auth.passwordMissing") : undefined,
  };

  const enter = async (company?: string) => {
    if (busy) return;
    setBusy(true);
    setFailure(undefined);
    try {
      const result = await signIn({ ...values, email: values.email.trim(), ...(company && { company }) });
      if (result.state === "choose-company") setCompanies(result.companies);
      else await onSignedIn();
    } catch (error) {
      setFailure(error);
      setCompanies([]);
      if (error instanceof ApiError && error.code === "invalid_credentials") {
        setValues((now) => ({ ...now, password: "" }));
        setTouched({});
        requestAnimationFrame(() => form.current?.querySelector<HTMLInputElement>('[name="password"]')?.focus());
      }
    } finally {
      setBusy(false);
    }
  };

  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTouched({ email: true, password: true });
    const first = problems.email ? "email" : problems.password ? "password" : undefined;
    if (first) form.current?.querySelector<HTMLInputElement>(`[name="${first}"]`)?.focus();
    else void enter();
  };

  const message =
    failure instanceof ApiError && failure.code === "slow_down" && failure.retryAfter
      ? t("ui.auth.slowDown", { seconds: failure.retryAfter })
      : failure
        ? errorText(failure)
        : undefined;

  if (companies.length > 0) {
    return (
      <Split>
        <h1 className="mt-9 text-2xl font-title tracking-[-.022em] text-ink">{t("ui.auth.chooseCompany")}</h1>
        <p className="mt-1 text-muted">{t("ui.auth.chooseCompanyLead")}</p>
        <ul className="mt-6 grid gap-2">
          {companies.map((company) => (
            <li key={company.slug}>
              <button
                type="button"
                onClick={() => void enter(company.slug)}
                className="flex min-h-13 w-full items-center gap-3 rounded-control border border-line bg-surface px-3.5 text-left shadow-control hover:bg-hover"
              >
                <Building2 aria-hidden size={20} className="text-muted" />
                <span className="min-w-0 flex-1 truncate font-medium text-ink">{company.name}</span>
                <ChevronRight aria-hidden size={18} className="text-muted" />
              </button>
            </li>
          ))}
        </ul>
        <Button variant="ghost" wide className="mt-3" onClick={() => setCompanies([])}>
          {t("ui.auth.otherAccount")}
        </Button>
      </Split>
    );
  }

  return (
    <Split>
      <h1 className="mt-9 text-2xl font-title tracking-[-.022em] text-ink">{t("ui.auth.signIn")}</h1>
      <p className="mt-1 text-muted">{t("ui.auth.signInLead")}</p>
      <form ref={form} onSubmit={submit} noValidate aria-busy={busy} className="mt-6 grid gap-4">
        {message && (
          <Alert kind="error" look="outline">
            {message}
          </Alert>
        )}
        <TextField
          label={t("ui.auth.email")}
          name="email"
          type="email"
          autoComplete="username"
          autoCapitalize="none"
          spellCheck={false}
          autoFocus
          value={values.email}
          error={touched.email ? problems.email : undefined}
          onChange={(event) => setValues({ ...values, email: event.target.value })}
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
