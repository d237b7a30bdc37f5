import { useQuery } from "@tanstack/react-query";
import { LockKeyhole } from "lucide-react";
import { useEffect, useMemo } from "react";
import { Controller, useForm } from "react-hook-form";
import { useTranslation } from "react-i18next";
import { ApiError, errorText } from "@/api/errors";
import { Card } from "@/components/card";
import { ChoiceField } from "@/components/choice-field";
import { EmptyState } from "@/components/empty-state";
import { ErrorState } from "@/components/error-state";
import { useLeaveGuard } from "@/components/leave-guard";
import { Select } from "@/components/select";
import { SkeletonRows } from "@/components/skeleton";
import { TagInput } from "@/components/tag-input";
import { TextField } from "@/components/text-field";
import { useMay, useUser } from "@/features/account/data";
import { languageName } from "@/i18n";
import { showFieldErrors } from "@/lib/form-errors";
import { helpHome, isSafeLink } from "@/lib/links";
import { schemeNow } from "@/lib/look";
import { timeZones } from "@/lib/time-zones";
import { toast } from "@/lib/toast";
import { useVersion } from "@/lib/version";
import { applyScheme, schemeOf, schemes } from "@/theme/schemes";
import { type Company, companyQuery, useSaveCompany } from "./data";
import { FormCard } from "./form-card";

interface Values {
  name: string;
  color_scheme: string;
  locale: string;
  timezone: string;
  domains: string[];
  supportLink: string;
}
const toValues = ({ name, color_scheme, locale, timezone, domains, supportLink }: Company): Values => ({
  name,
  color_scheme: schemeOf(color_scheme),
  locale,
  timezone,
  domains,
  supportLink: supportLink ?? "",
});

/** A path of our own, http(s) or mailto: where help may lie. */
const isSupportLink = (link: string) => isSafeLink(link) && !/^tel:/i.test(link);

function Form({ company }: { company: Company }) {
  const { t } = useTranslation();
  const user = useUser();
  const locales = useVersion((state) => state.locales);
  const save = useSaveCompany(company.version);
  const { register, control, handleSubmit, reset, setError, watch, formState } = useForm<Values>({
    defaultValues: toValues(company),
    mode: "onTouched",
  });
  const { errors, isDirty, dirtyFields } = formState;
  const guard = useLeaveGuard(isDirty && !save.isPending);
  const zones = useMemo(() => timeZones(company.timezone), [company.timezone]);
  const scheme = watch("color_scheme");
  // Who has no colours of their own sees the choice before it is saved; leaving puts things right.
  const own = user.scheme;
  useEffect(() => {
    if (own) return;
    applyScheme(scheme);
    return () => applyScheme(schemeNow());
  }, [own, scheme]);
  const submit = handleSubmit((values) => {
    const all = { ...values, name: values.name.trim(), supportLink: values.supportLink.trim() || null };
    const changed = Object.fromEntries(Object.entries(all).filter(([name]) => dirtyFields[name as keyof Values]));
    save.mutate(changed, {
      onSuccess: (saved) => {
        reset(toValues(saved));
        toast.success(t("ui.form.saved"));
      },
      onError: (error) =>
        showFieldErrors(error, setError, (path) =>
          ["name", "color_scheme", "locale", "timezone", "domains", "supportLink"].includes(path.split(/[.[]/)[0] ?? "")
            ? path.split(/[.[]/)[0]
            : undefined,
        ),
    });
  });
  const placed = save.error instanceof ApiError && Object.keys(save.error.fields).length > 0;
  return (
    <FormCard
      title={t("ui.settings.sections.company")}
      lead={t("ui.settings.companyLead")}
      dirty={isDirty}
      busy={save.isPending}
      error={save.error && !placed ? errorText(save.error) : undefined}
      onSubmit={(event) => void submit(event)}
      onReset={() => {
        save.reset();
        reset(toValues(company));
      }}
    >
      <TextField
        label={t("ui.settings.companyName")}
        required
        autoComplete="organization"
        maxLength={200}
        error={errors.name?.message}
        {...register("name", { validate: (value) => value.trim() !== "" || t("ui.form.required") })}
      />
      <Controller
        control={control}
        name="color_scheme"
        render={({ field }) => (
          <Select
            label={t("ui.settings.scheme")}
            value={field.value}
            onChange={field.onChange}
            error={errors.color_scheme?.message}
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
            error={errors.domains?.message ?? errors.domains?.find?.((one) => one?.message)?.message}
          />
        )}
      />
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
      {guard.dialog}
    </FormCard>
  );
}

/** What holds for everybody in the company; for its administrators. */
export function CompanySection() {
  const { t } = useTranslation();
  const may = useMay("settings.company");
  const { data, error, refetch } = useQuery({ ...companyQuery, enabled: may });
  if (!may) {
    return (
      <Card>
        <EmptyState icon={LockKeyhole} title={t("ui.settings.noRight")} text={t("ui.settings.noRightText")} />
      </Card>
    );
  }
  if (data) return <Form company={data} />;
  return <Card>{error ? <ErrorState error={error} onRetry={() => void refetch()} /> : <SkeletonRows rows={4} />}</Card>;
}
