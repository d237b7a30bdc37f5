import { useMemo } from "react";
import { Controller } from "react-hook-form";
import { useTranslation } from "react-i18next";
import { ChoiceField } from "@/components/choice-field";
import { Select } from "@/components/select";
import { TagInput } from "@/components/tag-input";
import { TextField } from "@/components/text-field";
import { languageName } from "@/i18n";
import { helpHome, isSafeLink } from "@/lib/links";
import { timeZones } from "@/lib/time-zones";
import { useVersion } from "@/lib/version";
import { type Company, useSaveCompany } from "../data";
import { FormCard } from "../form-card";
import { type ReportDirty, useSettingsForm } from "../use-settings-form";

const toValues = ({ locale, timezone, domains, supportLink }: Company) => ({
  locale,
  timezone,
  domains,
  supportLink: supportLink ?? "",
});
type Values = ReturnType<typeof toValues>;
const toPatch = (values: Values) => ({ ...values, supportLink: values.supportLink.trim() || null });

/** A path of our own, http(s) or mailto: where help may lie. */
const isSupportLink = (link: string) => isSafeLink(link) && !/^tel:/i.test(link);

/** Language and time zone of who chose none, and where the company is found. */
export function PlaceForm({ company, onDirty }: { company: Company; onDirty: ReportDirty }) {
  const { t } = useTranslation();
  const locales = useVersion((state) => state.locales);
  const { form, card } = useSettingsForm({ saved: company, toValues, toPatch, save: useSaveCompany(company.version), onDirty });
  const { register, control, watch, formState } = form;
  const { errors } = formState;
  const zones = useMemo(() => timeZones(company.timezone), [company.timezone]);
  const domains = watch("domains");
  return (
    <FormCard title={t("ui.settings.place")} lead={t("ui.settings.placeLead")} {...card}>
      <div className="grid gap-5 sm:grid-cols-2">
        <Controller
          control={control}
          name="locale"
          render={({ field }) => (
            <Select
              label={t("ui.settings.language")}
              value={field.value}
              onChange={field.onChange}
              error={errors.locale?.message}
              options={locales.map((value) => ({ value, label: languageName(value) }))}
            />
          )}
        />
        <Controller
          control={control}
          name="timezone"
          render={({ field }) => (
            <ChoiceField
              label={t("ui.settings.timezone")}
              value={field.value}
              onChange={field.onChange}
              error={errors.timezone?.message}
              options={zones}
            />
          )}
        />
      </div>
      <div>
        <Controller
          control={control}
          name="domains"
          render={({ field }) => (
            <TagInput
              label={t("ui.settings.domains")}
              hint={t("ui.settings.domainsHint")}
              placeholder={t("ui.settings.domainsPlaceholder")}
              maxLength={253}
              value={field.value}
              onChange={field.onChange}
              error={errors.domains?.message}
            />
          )}
        />
        {domains.length > 0 && (
          <div className="mt-3 rounded-control border border-line bg-sunken px-3.5 py-3 text-sm">
            <p className="text-soft">{t("ui.settings.dns", { host: location.hostname })}</p>
            <ul className="mt-2 grid gap-1 font-mono text-[13px] text-ink">
              {domains.map((domain) => (
                <li key={domain} className="[overflow-wrap:anywhere]">
                  {t("ui.settings.dnsRecord", { domain, host: location.hostname })}
                </li>
              ))}
            </ul>
          </div>
        )}
      </div>
      <TextField
        label={t("ui.settings.supportLink")}
        hint={t("ui.settings.supportLinkHint")}
        placeholder={helpHome}
        inputMode="url"
        autoCapitalize="none"
        spellCheck={false}
        maxLength={2000}
        error={errors.supportLink?.message}
        {...register("supportLink", {
          validate: (value) => value.trim() === "" || isSupportLink(value.trim()) || t("ui.settings.supportLinkInvalid"),
        })}
      />
    </FormCard>
  );
}
