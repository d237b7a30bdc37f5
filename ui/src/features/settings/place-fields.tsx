import { useMemo } from "react";
import { type Control, Controller, type Path } from "react-hook-form";
import { useTranslation } from "react-i18next";
import { ChoiceField } from "@/components/choice-field";
import { Select } from "@/components/select";
import { languageName } from "@/i18n";
import { timeZones } from "@/lib/time-zones";
import { useCompanyInfo } from "@/shell/company-info";

interface Place {
  locale: string;
  timezone: string;
}

/** A form's language and time zone; the saved time zone is offered even if the browser does not know it. */
export function PlaceFields<T extends Place>({ control, kept }: { control: Control<T>; kept: string }) {
  const { t } = useTranslation();
  const locales = useCompanyInfo((state) => state.locales);
  const zones = useMemo(() => timeZones(kept), [kept]);
  return (
    <div className="grid gap-5 sm:grid-cols-2">
      <Controller
        control={control}
        name={"locale" as Path<T>}
        render={({ field, fieldState }) => (
          <Select
            label={t("ui.settings.language")}
            value={field.value}
            onChange={field.onChange}
            error={fieldState.error?.message}
            options={locales.map((value) => ({ value, label: languageName(value) }))}
          />
        )}
      />
      <Controller
        control={control}
        name={"timezone" as Path<T>}
        render={({ field, fieldState }) => (
          <ChoiceField
            label={t("ui.settings.timezone")}
            value={field.value}
            onChange={field.onChange}
            error={fieldState.error?.message}
            options={zones}
          />
        )}
      />
    </div>
  );
}
