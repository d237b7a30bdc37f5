import { useMemo } from "react";
import { Controller } from "react-hook-form";
import { useTranslation } from "react-i18next";
import type { User } from "@/api/schema";
import { ChoiceField } from "@/components/choice-field";
import { useLeaveGuard } from "@/components/leave-guard";
import { Select } from "@/components/select";
import { TextField } from "@/components/text-field";
import { useUser } from "@/features/account/data";
import { AvatarField } from "@/features/files/avatar-field";
import { languageName } from "@/i18n";
import { timeZones } from "@/lib/time-zones";
import { useVersion } from "@/lib/version";
import { useSaveAccount } from "./data";
import { EmailField } from "./email-field";
import { EmailLink } from "./email-link";
import { FormCard } from "./form-card";
import { useSettingsForm } from "./use-settings-form";

interface Values {
  name: string;
  avatar: string | null;
  locale: string;
  timezone: string;
}
const toValues = (user: User): Values => ({
  name: user.name,
  avatar: user.avatar ?? null,
  locale: user.locale,
  timezone: user.timezone ?? "",
});

const toPatch = (values: Values) => ({ ...values, name: values.name.trim() });

/** How colleagues see the person, and in which language and time zone they work. */
export function AccountSection() {
  const { t } = useTranslation();
  const user = useUser();
  const locales = useVersion((state) => state.locales);
  const { form, card, unsaved } = useSettingsForm({ saved: user, toValues, toPatch, save: useSaveAccount() });
  const { register, control, watch, formState } = form;
  const { errors } = formState;
  const guard = useLeaveGuard(unsaved);
  const zones = useMemo(() => timeZones(user.timezone ?? ""), [user.timezone]);
  return (
    <>
      <EmailLink />
      <FormCard title={t("ui.settings.sections.account")} lead={t("ui.settings.accountLead")} {...card}>
        <Controller
          control={control}
          name="avatar"
          render={({ field }) => (
            <AvatarField label={t("ui.settings.avatar")} name={watch("name")} value={field.value} onChange={field.onChange} />
          )}
        />
        <TextField
          label={t("ui.settings.name")}
          required
          autoComplete="name"
          maxLength={200}
          error={errors.name?.message}
          {...register("name", { validate: (value) => value.trim() !== "" || t("ui.form.required") })}
        />
        <EmailField email={user.email} />
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
        {guard.dialog}
      </FormCard>
    </>
  );
}
