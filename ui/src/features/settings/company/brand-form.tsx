import { Palette } from "lucide-react";
import { useEffect } from "react";
import { Controller } from "react-hook-form";
import { useTranslation } from "react-i18next";
import type { CompanySettings } from "@/api/schema";
import { Alert } from "@/components/alert";
import { ButtonLink } from "@/components/button-link";
import { Select } from "@/components/select";
import { TextField } from "@/components/text-field";
import { useUser } from "@/features/account/data";
import type { ConflictField } from "@/records/conflicts";
import { currentScheme } from "@/shell/appearance-preview";
import { applyScheme, schemeOf, schemes } from "@/theme/schemes";
import { useReadCompany, useSaveCompany } from "../data";
import { FormCard } from "../form-card";
import { type ReportDirty, useSettingsForm } from "../use-settings-form";
import { LogoField } from "./logo-field";

const toValues = ({ name, slug, color_scheme, logotipo_dark, logotipo_light }: CompanySettings) => ({
  name,
  slug,
  color_scheme: schemeOf(color_scheme),
  logotipo_dark: logotipo_dark ?? null,
  logotipo_light: logotipo_light ?? null,
});
type Values = ReturnType<typeof toValues>;
const toPatch = (values: Values) => ({ ...values, name: values.name.trim(), slug: values.slug.trim() });

const logo = (src: string | null, ground: string) =>
  src && <img src={src} alt="" className={`h-12 max-w-full rounded object-contain p-1.5 ${ground}`} />;

function useFields(): ConflictField<Values>[] {
  const { t } = useTranslation();
  return [
    { names: ["name"], label: t("ui.settings.companyName"), show: ({ name }) => name },
    { names: ["slug"], label: t("ui.settings.slug"), show: ({ slug }) => slug },
    { names: ["logotipo_dark"], label: t("ui.settings.logoDark"), show: (values) => logo(values.logotipo_dark, "bg-white") },
    { names: ["logotipo_light"], label: t("ui.settings.logoLight"), show: (values) => logo(values.logotipo_light, "bg-gray-900") },
    { names: ["color_scheme"], label: t("ui.settings.scheme"), show: (values) => t(`ui.settings.schemes.${values.color_scheme}`) },
  ];
}

/** The company's name and appearance. */
export function BrandForm({ company, onDirty }: { company: CompanySettings; onDirty: ReportDirty }) {
  const { t } = useTranslation();
  const user = useUser();
  const conflict = { fields: useFields(), read: useReadCompany() };
  const { form, card } = useSettingsForm({ saved: company, toValues, toPatch, save: useSaveCompany(company.version), onDirty, conflict });
  const { register, control, watch, formState } = form;
  const { errors } = formState;
  const [name, slug, scheme] = watch(["name", "slug", "color_scheme"]);
  // Members without their own colours see the choice before it is saved; leaving reverts it.
  const own = user.scheme;
  useEffect(() => {
    if (own) return;
    applyScheme(scheme);
    return () => applyScheme(currentScheme());
  }, [own, scheme]);
  return (
    <FormCard title={t("ui.settings.sections.company")} lead={t("ui.settings.companyLead")} {...card}>
      <div className="grid gap-5 sm:grid-cols-2">
        <TextField
          label={t("ui.settings.companyName")}
          required
          autoComplete="organization"
          maxLength={200}
          error={errors.name?.message}
          {...register("name", { validate: (value) => value.trim() !== "" || t("ui.form.required") })}
        />
        <TextField
          label={t("ui.settings.slug")}
          hint={t("ui.settings.slugHint")}
          required
          autoCapitalize="none"
          spellCheck={false}
          maxLength={63}
          error={errors.slug?.message}
          {...register("slug", {
            validate: (value) => /^[a-z\d]([a-z\d-]*[a-z\d])?$/.test(value.trim()) || t("ui.settings.slugInvalid"),
          })}
        />
      </div>
      {slug.trim() !== company.slug && <Alert kind="warning">{t("ui.settings.slugWarning", { slug: company.slug })}</Alert>}
      <div className="grid gap-5 sm:grid-cols-2">
        <Controller
          control={control}
          name="logotipo_dark"
          render={({ field }) => (
            <LogoField
              label={t("ui.settings.logoDark")}
              ground="light"
              name={name}
              value={field.value}
              onChange={field.onChange}
              error={errors.logotipo_dark?.message}
            />
          )}
        />
        <Controller
          control={control}
          name="logotipo_light"
          render={({ field }) => (
            <LogoField
              label={t("ui.settings.logoLight")}
              ground="dark"
              name={name}
              value={field.value}
              onChange={field.onChange}
              error={errors.logotipo_light?.message}
            />
          )}
        />
      </div>
      <div className="flex flex-wrap items-end gap-3">
        <Controller
          control={control}
          name="color_scheme"
          render={({ field }) => (
            <Select
              label={t("ui.settings.scheme")}
              value={field.value}
              onChange={field.onChange}
              error={errors.color_scheme?.message}
              className="min-w-56 flex-1"
              options={schemes.map((value) => ({
                value,
                label: t(`ui.settings.schemes.${value}`),
                icon: (
                  <span aria-hidden className={`theme-${value} flex shrink-0 overflow-hidden rounded-full`}>
                    {["200", "400", "600"].map((shade) => (
                      <i key={shade} className="h-4 w-2.5" style={{ background: `var(--primary-${shade})` }} />
                    ))}
                  </span>
                ),
              }))}
            />
          )}
        />
        <ButtonLink to="/settings/appearance?for=company" icon={Palette} className="!h-10.5">
          {t("ui.settings.chooseLayout")}
        </ButtonLink>
      </div>
    </FormCard>
  );
}
