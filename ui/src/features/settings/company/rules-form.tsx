import type { TFunction } from "i18next";
import { Controller } from "react-hook-form";
import { useTranslation } from "react-i18next";
import type { CompanySettings, Role } from "@/api/schema";
import { Alert } from "@/components/alert";
import { Select } from "@/components/select";
import { Switch } from "@/components/switch";
import { TagInput } from "@/components/tag-input";
import { TextField } from "@/components/text-field";
import { formatNumber, mediumDate } from "@/lib/format";
import type { ConflictField } from "@/records/conflicts";
import { useReadCompany, useSaveCompany } from "../data";
import { FormCard } from "../form-card";
import { type ReportDirty, useSettingsForm } from "../use-settings-form";
import { OpenDomains } from "./open-domains";

const usualMinutes = [5, 15, 30, 60, 120, 480];
const joinRoles: Role[] = ["member", "viewer"];

const toValues = ({ idleMinutes, secondFactor, joining }: CompanySettings) => ({
  idleMinutes: String(idleMinutes),
  secondFactor: { required: secondFactor.required, graceDays: String(secondFactor.graceDays) },
  joining: { enabled: joining.enabled, domains: joining.domains, role: joining.role },
});
type Values = ReturnType<typeof toValues>;
const toPatch = ({ idleMinutes, secondFactor, joining }: Values) => ({
  idleMinutes: Number(idleMinutes),
  secondFactor: { required: secondFactor.required, graceDays: Number(secondFactor.graceDays) },
  joining,
});

/** Formats "After 15 minutes", "After 2 hours". */
function idleText(t: TFunction, minutes: number): string {
  const inHours = minutes % 60 === 0;
  const count = inHours ? minutes / 60 : minutes;
  return t(inHours ? "ui.settings.idleHours" : "ui.settings.idleMinutes", { count, total: formatNumber(count) });
}

function useFields(): ConflictField<Values>[] {
  const { t } = useTranslation();
  return [
    {
      names: ["idleMinutes"],
      label: t("ui.settings.idle"),
      show: ({ idleMinutes }) => (idleMinutes === "0" ? t("ui.settings.idleNever") : idleText(t, Number(idleMinutes))),
    },
    {
      names: ["secondFactor"],
      label: t("ui.settings.factor"),
      show: ({ secondFactor: { required, graceDays } }) => required && `${t("ui.settings.grace")}: ${graceDays}`,
    },
    {
      names: ["joining"],
      label: t("ui.settings.joining"),
      show: ({ joining: { enabled, domains, role } }) => enabled && [...domains, t(`ui.team.roles.${role}`)].join(", "),
    },
  ];
}

/**
 * The idle limit, the requirement of a second factor, and the domains whose addresses may join without an invitation.
 */
export function RulesForm({ company, onDirty }: { company: CompanySettings; onDirty: ReportDirty }) {
  const { t } = useTranslation();
  const conflict = { fields: useFields(), read: useReadCompany() };
  const { form, card } = useSettingsForm({ saved: company, toValues, toPatch, save: useSaveCompany(company.version), onDirty, conflict });
  const { register, control, watch, formState } = form;
  const { errors } = formState;
  const [required, graceDays, enabled, domains] = watch([
    "secondFactor.required",
    "secondFactor.graceDays",
    "joining.enabled",
    "joining.domains",
  ]);
  const minutes = [...new Set([...usualMinutes, company.idleMinutes])].filter((one) => one > 0).sort((a, b) => a - b);
  const since = company.secondFactor.since ? new Date(company.secondFactor.since) : new Date();
  const from = new Date(since.getTime() + Number(graceDays) * 86_400_000);
  return (
    <FormCard title={t("ui.settings.rules")} lead={t("ui.settings.rulesLead")} {...card}>
      <Controller
        control={control}
        name="idleMinutes"
        render={({ field }) => (
          <Select
            label={t("ui.settings.idle")}
            value={field.value}
            onChange={field.onChange}
            error={errors.idleMinutes?.message}
            className="sm:max-w-80"
            options={[
              ...minutes.map((count) => ({
                value: String(count),
                label: idleText(t, count),
              })),
              { value: "0", label: t("ui.settings.idleNever") },
            ]}
          />
        )}
      />
      <div className="grid grid-cols-1 gap-4 border-t border-line pt-5">
        <Switch hint={t("ui.settings.factorHint")} {...register("secondFactor.required")}>
          {t("ui.settings.factor")}
        </Switch>
        {required && (
          <>
            <TextField
              label={t("ui.settings.grace")}
              hint={t("ui.settings.graceHint", { date: Number.isNaN(from.getTime()) ? "" : mediumDate(from) })}
              type="number"
              inputMode="numeric"
              min={0}
              max={90}
              className="sm:max-w-80"
              error={errors.secondFactor?.graceDays?.message}
              {...register("secondFactor.graceDays", {
                validate: (value) =>
                  (/^\d+$/.test(value) && Number(value) <= 90) || t("ui.settings.graceInvalid", { max: formatNumber(90) }),
              })}
            />
            {graceDays === "0" && <Alert kind="warning">{t("ui.settings.graceNone")}</Alert>}
          </>
        )}
      </div>
      <div className="grid grid-cols-1 gap-4 border-t border-line pt-5">
        <Switch hint={t("ui.settings.joiningHint")} {...register("joining.enabled")}>
          {t("ui.settings.joining")}
        </Switch>
        {enabled && (
          <>
            <Controller
              control={control}
              name="joining.domains"
              rules={{ validate: (value) => value.length > 0 || t("ui.settings.joiningDomainsMissing") }}
              render={({ field }) => (
                <TagInput
                  label={t("ui.settings.joiningDomains")}
                  hint={t("ui.settings.joiningDomainsHint")}
                  placeholder={t("ui.settings.joiningDomainsPlaceholder")}
                  maxLength={253}
                  value={field.value}
                  onChange={field.onChange}
                  error={errors.joining?.domains?.message}
                />
              )}
            />
            <OpenDomains domains={domains} />
            <Controller
              control={control}
              name="joining.role"
              render={({ field }) => (
                <Select
                  label={t("ui.settings.joiningRole")}
                  value={field.value}
                  onChange={field.onChange}
                  error={errors.joining?.role?.message}
                  className="sm:max-w-80"
                  options={joinRoles.map((value) => ({ value, label: t(`ui.team.roles.${value}`) }))}
                />
              )}
            />
          </>
        )}
      </div>
    </FormCard>
  );
}
