import { MailCheck } from "lucide-react";
import { useTranslation } from "react-i18next";
import { useNavigate } from "react-router";
import type { Activation, MailedLink } from "@/api/schema";
import { Button } from "@/components/button";
import { ButtonLink } from "@/components/button-link";
import { ErrorState } from "@/components/error-state";
import { NewPasswordField, usePasswordRule } from "@/components/new-password-field";
import { PasswordField } from "@/components/password-field";
import { Skeleton } from "@/components/skeleton";
import { TextField } from "@/components/text-field";
import { dropLinkToken, handLinkToken } from "@/lib/link-token";
import { useFieldForm } from "@/lib/use-field-form";
import { useTitle } from "@/shell/use-title";
import { AuthHead } from "./auth-head";
import { activate } from "./data";
import { FormAlert } from "./form-alert";
import { LinkGone } from "./link-gone";
import { Outcome, OutcomeText } from "./outcome";
import { useRules } from "./rules";
import { Split } from "./split";
import { isLinkGone, useLink } from "./use-link";
import { useSubmit } from "./use-submit";

interface StepProps {
  link: MailedLink;
  onActivate: (form: Omit<Activation, "token">) => Promise<void>;
}

/** An invitation: the invited person enters their name and chooses a password. */
function Invitation({ link, onActivate }: StepProps) {
  const { t } = useTranslation();
  const form = useFieldForm({ defaultValues: { name: link.name, password: "" } });
  const { errors } = form.formState;
  const rules = useRules();
  const passwordRule = usePasswordRule();
  const { busy, failure, submit } = useSubmit(form, ["name", "password"], ({ name, password }) =>
    onActivate({ name: name.trim(), password }),
  );
  const title = t("ui.auth.inviteTitle", { company: link.company.name });
  useTitle(title);
  return (
    <Split>
      <AuthHead title={title}>{t("ui.auth.inviteLead")}</AuthHead>
      <form onSubmit={submit} noValidate aria-busy={busy} className="mt-6 grid grid-cols-1 gap-4">
        <FormAlert error={failure} />
        <TextField
          label={t("ui.auth.email")}
          type="email"
          autoComplete="username"
          readOnly
          value={link.email}
          hint={t("ui.auth.inviteEmail")}
        />
        <TextField
          label={t("ui.auth.name")}
          autoComplete="name"
          autoFocus={link.name === ""}
          maxLength={200}
          error={errors.name?.message}
          {...form.register("name", { validate: rules.name })}
        />
        <NewPasswordField
          label={t("ui.auth.choosePassword")}
          autoFocus={link.name !== ""}
          typed={form.watch("password")}
          error={errors.password?.message}
          {...form.register("password", { validate: passwordRule })}
        />
        <Button type="submit" variant="primary" size="lg" wide busy={busy} className="mt-2">
          {t("ui.auth.joinButton")}
        </Button>
      </form>
    </Split>
  );
}

/** A sign-up: confirmed by its password, so that the link alone activates no account that another person requested. */
function Confirmation({ link, onActivate }: StepProps) {
  const { t } = useTranslation();
  const form = useFieldForm({ defaultValues: { password: "" } });
  const rules = useRules();
  const { busy, failure, submit } = useSubmit(form, ["password"], ({ password }) => onActivate({ password }));
  const title = t("ui.auth.addressTitle");
  useTitle(title);
  return (
    <Split>
      <AuthHead title={title}>{t("ui.auth.addressLead", { company: link.company.name })}</AuthHead>
      <form onSubmit={submit} noValidate aria-busy={busy} className="mt-6 grid grid-cols-1 gap-4">
        <FormAlert error={failure} />
        <TextField label={t("ui.auth.email")} type="email" autoComplete="username" readOnly value={link.email} />
        <PasswordField
          label={t("ui.auth.password")}
          autoComplete="current-password"
          autoFocus
          hint={t("ui.auth.addressHint")}
          error={form.formState.errors.password?.message}
          {...form.register("password", { validate: rules.password })}
        />
        <Button type="submit" variant="primary" size="lg" wide busy={busy} className="mt-2">
          {t("ui.auth.addressButton")}
        </Button>
      </form>
    </Split>
  );
}

/** A changed e-mail address: confirmed in the session of the member who requested it, so they sign in first. */
function NewAddress({ link, token }: { link: MailedLink; token: string }) {
  const { t } = useTranslation();
  return (
    <Outcome icon={MailCheck} title={t("ui.auth.emailTitle")}>
      <OutcomeText>{t("ui.auth.emailText", { email: link.email })}</OutcomeText>
      <ButtonLink
        to={`/sign-in?redirectURL=${encodeURIComponent("/settings/account")}`}
        onClick={() => handLinkToken("/settings/account", token)}
        variant="primary"
        size="lg"
        wide
        className="mt-7"
      >
        {t("ui.auth.signIn")}
      </ButtonLink>
    </Outcome>
  );
}

/** Activates an account by the link from an e-mail, and signs in. */
export function ActivateAccountPage() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { token, read, retry, gone } = useLink();
  const onActivate: StepProps["onActivate"] = async (form) => {
    try {
      await activate({ token, ...form });
    } catch (error) {
      if (isLinkGone(error)) return gone();
      throw error;
    }
    dropLinkToken();
    await navigate("/dashboard", { replace: true });
  };
  if (read.state === "read" && read.link.purpose === "invite") return <Invitation link={read.link} onActivate={onActivate} />;
  if (read.state === "read" && read.link.purpose === "email") return <NewAddress link={read.link} token={token} />;
  if (read.state === "read" && read.link.purpose !== "reset") return <Confirmation link={read.link} onActivate={onActivate} />;
  if (read.state === "gone" || read.state === "read") {
    return (
      <LinkGone title={t("ui.auth.linkGone")} text={t("ui.auth.activateGone")}>
        <ButtonLink to="/sign-in" variant="primary" size="lg" wide className="mt-7">
          {t("ui.auth.signIn")}
        </ButtonLink>
        <ButtonLink to="/confirmation-required" variant="ghost" size="lg" wide className="mt-2">
          {t("ui.auth.newConfirmation")}
        </ButtonLink>
      </LinkGone>
    );
  }
  return (
    <Split>
      {read.state === "failed" ? (
        <ErrorState error={read.error} onRetry={retry} />
      ) : (
        <div aria-busy className="mt-9 grid gap-4">
          <h1 className="sr-only">{t("ui.auth.welcome")}</h1>
          <Skeleton className="h-9 w-3/4" />
          <Skeleton className="h-5" />
          <Skeleton className="mt-4 h-11" />
        </div>
      )}
    </Split>
  );
}
