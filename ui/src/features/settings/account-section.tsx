import { Controller } from "react-hook-form";
import { useTranslation } from "react-i18next";
import type { User } from "@/api/schema";
import { useLeaveGuard } from "@/components/leave-guard";
import { TextField } from "@/components/text-field";
import { useUser } from "@/features/account/data";
import { AvatarField } from "@/features/files/avatar-field";
import { useSaveAccount } from "./data";
import { EmailField } from "./email-field";
import { EmailLink } from "./email-link";
import { FormCard } from "./form-card";
import { PlaceFields } from "./place-fields";
import { RegionFields, type RegionValues, toRegion, toRegionValues } from "./region-fields";
import { useSettingsForm } from "./use-settings-form";

interface Values {
  region: RegionValues;
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
  region: toRegionValues(user.ownRegion),
});

const toPatch = (values: Values) => ({ ...values, name: values.name.trim(), region: toRegion(values.region) });

/** The member's profile, language, time zone and region. */
export function AccountSection() {
  const { t } = useTranslation();
  const user = useUser();
  const { form, card, unsaved } = useSettingsForm({ saved: user, toValues, toPatch, save: useSaveAccount() });
  const { register, control, watch, formState } = form;
  const { errors } = formState;
  const guard = useLeaveGuard(unsaved);
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
        <PlaceFields control={control} kept={user.timezone ?? ""} />
        <RegionFields control={control} isOwn />
        {guard.dialog}
      </FormCard>
    </>
  );
}
