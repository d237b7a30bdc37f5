import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Controller } from "react-hook-form";
import { useTranslation } from "react-i18next";
import type { Role, SignOn } from "@/api/schema";
import { Button } from "@/components/button";
import { ConfirmDialog } from "@/components/confirm-dialog";
import { PasswordField } from "@/components/password-field";
import { Select } from "@/components/select";
import { Switch } from "@/components/switch";
import { TagInput } from "@/components/tag-input";
import { TextField } from "@/components/text-field";
import { toast } from "@/lib/toast";
import { signOnQuery, useRemoveSignOn, useSaveSignOn } from "../data";
import { FormCard } from "../form-card";
import { type ReportDirty, useSettingsForm } from "../use-settings-form";
import { OpenDomains } from "./open-domains";

const roles: Role[] = ["member", "viewer"];

const toValues = ({ issuers, provider }: SignOn) => ({
  issuer: provider?.issuer ?? issuers[0] ?? "",
  clientId: provider?.clientId ?? "",
  clientSecret: "",
  name: provider?.name ?? "",
  createMembers: provider?.createMembers ?? false,
  role: provider?.role ?? ("member" as Role),
  domains: provider?.domains ?? [],
  trustsSecondFactor: provider?.trustsSecondFactor ?? false,
});
type Values = ReturnType<typeof toValues>;
const toPatch = ({ clientSecret, ...values }: Values) => ({ ...values, ...(clientSecret && { clientSecret }) });

function Form({ signOn, onDirty }: { signOn: SignOn; onDirty: ReportDirty }) {
  const { t } = useTranslation();
  const remove = useRemoveSignOn();
  const [asking, setAsking] = useState(false);
  const { form, card } = useSettingsForm({ saved: signOn, toValues, toPatch, save: useSaveSignOn(), whole: true, onDirty });
  const { register, control, watch, formState } = form;
  const { errors } = formState;
  const [createMembers, domains] = watch(["createMembers", "domains"]);
  const chosen = signOn.provider;
  const required = { validate: (value: string) => value.trim() !== "" || t("ui.form.required") };
  return (
    <FormCard title={t("ui.settings.sso.title")} lead={t("ui.settings.sso.lead")} {...card}>
      {signOn.redirectUri && (
        <div className="rounded-control border border-line bg-sunken px-3.5 py-3 text-sm text-soft">
          {t("ui.settings.sso.redirect")}
          <code className="mt-1 block font-mono text-[13px] text-ink [overflow-wrap:anywhere]">{signOn.redirectUri}</code>
        </div>
      )}
      <div className="grid gap-5 sm:grid-cols-2">
        <Controller
          control={control}
          name="issuer"
          render={({ field }) => (
            <Select
              label={t("ui.settings.sso.issuer")}
              value={field.value}
              onChange={field.onChange}
              error={errors.issuer?.message}
              options={signOn.issuers.map((value) => ({ value, label: value.replace(/^https:\/\//, "") }))}
            />
          )}
        />
        <TextField
          label={t("ui.settings.sso.name")}
          hint={t("ui.settings.sso.nameHint")}
          required
          maxLength={60}
          error={errors.name?.message}
          {...register("name", required)}
        />
        <TextField
          label={t("ui.settings.sso.clientId")}
          required
          autoComplete="off"
          maxLength={200}
          error={errors.clientId?.message}
          {...register("clientId", required)}
        />
        <PasswordField
          label={t("ui.settings.sso.clientSecret")}
          hint={chosen ? t("ui.settings.sso.secretKept") : undefined}
          required={!chosen}
          autoComplete="off"
          error={errors.clientSecret?.message}
          {...register("clientSecret", { validate: (value) => value !== "" || chosen !== undefined || t("ui.form.required") })}
        />
      </div>
      <Switch hint={t("ui.settings.sso.createHint")} {...register("createMembers")}>
        {t("ui.settings.sso.create")}
      </Switch>
      {createMembers && (
        <div className="grid gap-5 sm:grid-cols-2">
          <Controller
            control={control}
            name="domains"
            rules={{ validate: (value) => value.length > 0 || t("ui.settings.joiningDomainsMissing") }}
            render={({ field }) => (
              <TagInput
                label={t("ui.settings.joiningDomains")}
                placeholder={t("ui.settings.joiningDomainsPlaceholder")}
                maxLength={253}
                value={field.value}
                onChange={field.onChange}
                error={errors.domains?.message}
              />
            )}
          />
          <div className="sm:order-last sm:col-span-2 empty:hidden">
            <OpenDomains domains={domains} />
          </div>
          <Controller
            control={control}
            name="role"
            render={({ field }) => (
              <Select
                label={t("ui.settings.joiningRole")}
                value={field.value}
                onChange={field.onChange}
                error={errors.role?.message}
                options={roles.map((value) => ({ value, label: t(`ui.team.roles.${value}`) }))}
              />
            )}
          />
        </div>
      )}
      <Switch hint={t("ui.settings.sso.trustHint")} {...register("trustsSecondFactor")}>
        {t("ui.settings.sso.trust")}
      </Switch>
      {chosen && (
        <Button variant="danger-ghost" className="-ml-3.5 justify-self-start" onClick={() => setAsking(true)} busy={remove.isPending}>
          {t("ui.settings.sso.off")}
        </Button>
      )}
      <ConfirmDialog
        title={t("ui.settings.sso.offTitle")}
        text={t("ui.settings.sso.offText")}
        confirm={t("ui.settings.sso.off")}
        isOpen={asking}
        onOpenChange={setAsking}
        onConfirm={() => remove.mutate(undefined, { onSuccess: () => toast.success(t("ui.settings.sso.offDone")) })}
      />
    </FormCard>
  );
}

/** The company's single sign-on provider; only if the operator allows one. */
export function SignOnForm({ onDirty }: { onDirty: ReportDirty }) {
  const { data } = useQuery(signOnQuery);
  if (!data || (data.issuers.length === 0 && !data.provider)) return null;
  return <Form key={data.provider ? "kept" : "none"} signOn={data} onDirty={onDirty} />;
}
