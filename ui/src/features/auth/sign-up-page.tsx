import { DoorClosed, Terminal } from "lucide-react";
import { useTranslation } from "react-i18next";
import { useNavigate } from "react-router";
import { Button } from "@/components/button";
import { NewPasswordField, usePasswordRule } from "@/components/new-password-field";
import { TextField } from "@/components/text-field";
import { regionOf } from "@/lib/browser-region";
import { dropLinkToken, useLinkToken } from "@/lib/link-token";
import { useFieldForm } from "@/lib/use-field-form";
import { useCompanyInfo } from "@/shell/company-info";
import { useTitle } from "@/shell/use-title";
import { AuthHead } from "./auth-head";
import { AuthLink, BackToSignIn } from "./auth-link";
import { signIn, signUp } from "./data";
import { FormAlert } from "./form-alert";
import { keepGuestInput, readGuestInput } from "./guest-input";
import { Outcome, OutcomeText } from "./outcome";
import { useRules } from "./rules";
import { Split } from "./split";
import { useSubmit } from "./use-submit";

interface Values {
  company: string;
  name: string;
  email: string;
  password: string;
}

function SignUpForm({ policy, token }: { policy: string; token: string | undefined }) {
  const { t, i18n } = useTranslation();
  const navigate = useNavigate();
  const company = useCompanyInfo((state) => state.company.name);
  const form = useFieldForm<Values>({ defaultValues: { ...readGuestInput(), password: "" } });
  const { register, watch, formState } = form;
  const { errors } = formState;
  const rules = useRules();
  const passwordRule = usePasswordRule();
  const title = policy === "join" ? t("ui.auth.join", { company }) : t(policy === "first" ? "ui.auth.setUp" : "ui.auth.signUp");
  useTitle(title);
  const { busy, failure, submit } = useSubmit(form, ["company", "name", "email", "password"], async (values) => {
    const email = values.email.trim();
    const { next } = await signUp({
      ...(policy !== "join" && { company: values.company.trim(), region: regionOf(navigator.language) }),
      name: values.name.trim(),
      email,
      password: values.password,
      locale: i18n.resolvedLanguage ?? "en",
      timezone: Intl.DateTimeFormat().resolvedOptions().timeZone,
      ...(token && { token }),
    });
    dropLinkToken();
    if (next === "confirm") return void navigate("/confirmation-required", { state: { sent: true } });
    // Active at once: signs in with the chosen password.
    const result = await signIn({ email, password: values.password }).catch(() => undefined);
    await navigate(result?.state === "signed-in" ? "/dashboard" : "/sign-in", { replace: true });
  });
  // Input is carried over from other pages; secrets are not.
  const typed = (field: "company" | "name" | "email") =>
    register(field, { validate: rules[field], onChange: (event) => keepGuestInput({ [field]: event.target.value }) });

  return (
    <Split>
      <AuthHead title={title}>
        {policy === "first" ? (
          t("ui.auth.setUpLead")
        ) : (
          <>
            {t("ui.auth.haveAccount")} <AuthLink to="/sign-in">{t("ui.auth.signIn")}</AuthLink>
          </>
        )}
      </AuthHead>
      <form onSubmit={submit} noValidate aria-busy={busy} className="mt-6 grid grid-cols-1 gap-4">
        <FormAlert error={failure} />
        {policy !== "join" && (
          <TextField
            label={t("ui.auth.company")}
            autoComplete="organization"
            autoFocus
            maxLength={200}
            error={errors.company?.message}
            {...typed("company")}
          />
        )}
        <TextField
          label={t("ui.auth.name")}
          autoComplete="name"
          autoFocus={policy === "join"}
          maxLength={200}
          error={errors.name?.message}
          {...typed("name")}
        />
        <TextField
          label={t("ui.auth.email")}
          type="email"
          autoComplete="username"
          autoCapitalize="none"
          spellCheck={false}
          maxLength={254}
          error={errors.email?.message}
          {...typed("email")}
        />
        <NewPasswordField
          label={t("ui.auth.password")}
          typed={watch("password")}
          error={errors.password?.message}
          {...register("password", { validate: passwordRule })}
        />
        <Button type="submit" variant="primary" size="lg" wide busy={busy} className="mt-2">
          {t(policy === "join" ? "ui.auth.joinButton" : "ui.auth.createCompany")}
        </Button>
      </form>
    </Split>
  );
}

/** Creates a company, or joins the one of this address, as the installation allows. */
export function SignUpPage() {
  const { t } = useTranslation();
  const { sign_up } = useCompanyInfo((state) => state.signIn);
  const token = useLinkToken();
  if (!sign_up) {
    return (
      <Outcome icon={DoorClosed} title={t("ui.auth.closedTitle")}>
        <OutcomeText>{t("ui.auth.closedText")}</OutcomeText>
        <BackToSignIn />
      </Outcome>
    );
  }
  if (sign_up === "first" && !token) {
    return (
      <Outcome icon={Terminal} title={t("ui.auth.firstTitle")}>
        <OutcomeText>{t("ui.auth.firstText")}</OutcomeText>
        <code className="mt-4 block rounded-control border border-line bg-sunken px-3.5 py-3 font-mono text-sm text-soft [overflow-wrap:anywhere]">
          {`${location.origin}/sign-up#…`}
        </code>
        <p className="mt-4 text-sm text-muted">{t("ui.auth.firstHint")}</p>
      </Outcome>
    );
  }
  return <SignUpForm policy={sign_up} token={token} />;
}
