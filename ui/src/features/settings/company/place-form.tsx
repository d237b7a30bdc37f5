import { Controller } from "react-hook-form";
import { useTranslation } from "react-i18next";
import type { CompanySettings } from "@/api/schema";
import { FieldNote } from "@/components/field";
import { Tag } from "@/components/tag";
import { TextField } from "@/components/text-field";
import { helpHome, isSafeLink } from "@/lib/links";
import type { ConflictField } from "@/records/conflicts";
import { useReadCompany, useSaveCompany } from "../data";
import { FormCard } from "../form-card";
import { PlaceFields } from "../place-fields";
import { changedRegion, RegionFields, toRegionValues } from "../region-fields";
import { type ReportDirty, useSettingsForm } from "../use-settings-form";

const toValues = ({ locale, timezone, region, domains, supportLink }: CompanySettings) => ({
  locale,
  timezone,
  region: toRegionValues(region),
  domains,
  supportLink: supportLink ?? "",
});
type Values = ReturnType<typeof toValues>;
/** Only what was changed of the region becomes a choice of the company; the rest follows the language of each member. */
const toPatchOver = (saved: CompanySettings) => (values: Values) => ({
  ...values,
  region: changedRegion(values.region, toRegionValues(saved.region)),
  supportLink: values.supportLink.trim() || null,
});

/** Whether a link is allowed for help: a path of this application, http(s) or mailto. */
const isSupportLink = (link: string) => isSafeLink(link) && !/^tel:/i.test(link);

function useFields(): ConflictField<Values>[] {
  const { t } = useTranslation();
  return [
    {
      names: ["locale"],
      label: t("ui.settings.language"),
      show: ({ locale }) => new Intl.DisplayNames([locale], { type: "language" }).of(locale),
    },
    { names: ["timezone"], label: t("ui.settings.timezone"), show: ({ timezone }) => timezone },
    {
      names: ["region"],
      label: t("ui.settings.region.title"),
      show: ({ region }) => Object.values(region).join(" · "),
    },
    { names: ["domains"], label: t("ui.settings.domains"), show: ({ domains }) => domains.join(", ") },
    { names: ["supportLink"], label: t("ui.settings.supportLink"), show: ({ supportLink }) => supportLink },
  ];
}

/** Returns the DNS record that points a domain to this host. */
export function pointer(host: string): { type: "A" | "AAAA" | "CNAME"; target: string } {
  if (host.startsWith("[")) return { type: "AAAA", target: host.slice(1, -1) };
  return /^\d+(\.\d+){3}$/.test(host) ? { type: "A", target: host } : { type: "CNAME", target: `${host}.` };
}

/** The default language, time zone and region, and the company's domains. */
export function PlaceForm({ company, onDirty }: { company: CompanySettings; onDirty: ReportDirty }) {
  const { t } = useTranslation();
  const conflict = { fields: useFields(), read: useReadCompany() };
  const toPatch = toPatchOver(company);
  const { form, card } = useSettingsForm({ saved: company, toValues, toPatch, save: useSaveCompany(company.version), onDirty, conflict });
  const { register, control, watch, formState } = form;
  const { errors } = formState;
  const domains = watch("domains");
  const host = location.hostname;
  // The current host points here already.
  const toLead = domains.filter((domain) => domain !== host);
  return (
    <FormCard title={t("ui.settings.place")} lead={t("ui.settings.placeLead")} {...card}>
      <PlaceFields control={control} kept={company.timezone} />
      <RegionFields control={control} />
      <div>
        <Controller
          control={control}
          name="domains"
          render={({ field }) => (
            <fieldset aria-describedby="domains-note">
              <legend className="mb-1.5 block text-sm font-medium text-gray-700">{t("ui.settings.domains")}</legend>
              <div className="flex flex-wrap gap-1.5">
                {field.value.map((name) => (
                  <Tag key={name} onRemove={() => field.onChange(field.value.filter((other) => other !== name))}>
                    {name}
                  </Tag>
                ))}
              </div>
              <FieldNote id="domains-note" hint={t("ui.settings.domainsHint")} error={errors.domains?.message} />
            </fieldset>
          )}
        />
        {toLead.length > 0 && (
          <div className="mt-3 rounded-control border border-line bg-sunken px-3.5 py-3 text-sm">
            <p className="text-soft">{t("ui.settings.dns")}</p>
            <ul className="mt-2 grid gap-1 font-mono text-[13px] text-ink">
              {toLead.map((domain) => (
                <li key={domain} className="[overflow-wrap:anywhere]">
                  {t("ui.settings.dnsRecord", { domain, ...pointer(host) })}
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
