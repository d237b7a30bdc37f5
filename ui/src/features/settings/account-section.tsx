import { useMemo } from "react";
import { Controller, useForm } from "react-hook-form";
import { useTranslation } from "react-i18next";
import { ApiError, errorText } from "@/api/errors";
import type { User } from "@/api/schema";
import { ChoiceField } from "@/components/choice-field";
import { useLeaveGuard } from "@/components/leave-guard";
import { Select } from "@/components/select";
import { TextField } from "@/components/text-field";
import { useUser } from "@/features/account/data";
import { AvatarField } from "@/features/files/avatar-field";
import { languageName } from "@/i18n";
import { showFieldErrors } from "@/lib/form-errors";
import { timeZones } from "@/lib/time-zones";
import { toast } from "@/lib/toast";
import { useVersion } from "@/lib/version";
import { useSaveAccount } from "./data";
import { EmailField } from "./email-field";
import { EmailLink } from "./email-link";
import { FormCard } from "./form-card";

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

/** How colleagues see the person, and in which language and time zone they work. */
export function AccountSection() {
  const { t } = useTranslation();
  const user = useUser();
  const locales = useVersion((state) => state.locales);
  const save = useSaveAccount();
  const { register, control, handleSubmit, reset, setError, watch, formState } = useForm<Values>({
    defaultValues: toValues(user),
    mode: "onTouched",
  });
  const { errors, isDirty, dirtyFields } = formState;
  const guard = useLeaveGuard(isDirty && !save.isPending);
  const zones = useMemo(() => timeZones(user.timezone ?? ""), [user.timezone]);
  const submit = handleSubmit((values) => {
    const changed = Object.fromEntries(
      Object.entries({ ...values, name: values.name.trim() }).filter(([name]) => dirtyFields[name as keyof Values]),
    );
    save.mutate(changed, {
      onSuccess: (saved) => {
        reset(toValues(saved));
        toast.success(t("ui.form.saved"));
      },
      onError: (error) => showFieldErrors(error, setError, (path) => (path in values ? path : undefined)),
    });
  });
  const placed = save.error instanceof ApiError && Object.keys(save.error.fields).length > 0;
  return (
    <>
      <EmailLink />
      <FormCard
        title={t("ui.settings.sections.account")}
        lead={t("ui.settings.accountLead")}
        dirty={isDirty}
        busy={save.isPending}
        error={save.error && !placed ? errorText(save.error) : undefined}
        onSubmit={(event) => void submit(event)}
        onReset={() => {
          save.reset();
          reset(toValues(user));
        }}
      >
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
