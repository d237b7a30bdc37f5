import { type Control, Controller, type Path } from "react-hook-form";
import { useTranslation } from "react-i18next";
import type { RegionChoice, RegionPatch } from "@/api/schema";
import { ChoiceField } from "@/components/choice-field";
import { Select } from "@/components/select";
import { countries } from "@/lib/countries";
import { formatDate } from "@/lib/format";
import { locale } from "@/lib/locale";

/** The choices of a form; empty for the company's default. */
export interface RegionValues {
  dateFormat: RegionChoice["dateFormat"] | "";
  timeFormat: RegionChoice["timeFormat"] | "";
  firstDay: RegionChoice["firstDay"] | "";
  phoneCountry: string;
  currency: string;
}

export const toRegionValues = ({ dateFormat, timeFormat, firstDay, phoneCountry, currency }: RegionChoice): RegionValues => ({
  dateFormat: dateFormat ?? "",
  timeFormat: timeFormat ?? "",
  firstDay: firstDay ?? "",
  phoneCountry: phoneCountry ?? "",
  currency: currency ?? "",
});

/** Returns the patch of a region. */
export const toRegion = ({ dateFormat, timeFormat, firstDay, phoneCountry, currency }: RegionValues): RegionPatch => ({
  dateFormat: dateFormat || null,
  timeFormat: timeFormat || null,
  firstDay: firstDay || null,
  phoneCountry: phoneCountry || null,
  currency: currency || null,
});

/** Returns a patch with the values that differ from those of the shown region. */
export function changedRegion(values: RegionValues, shown: RegionValues): RegionPatch {
  const names = Object.keys(values) as (keyof RegionValues)[];
  const patch = toRegion(values);
  return Object.fromEntries(names.filter((name) => values[name] !== shown[name]).map((name) => [name, patch[name]]));
}

/** A day whose short forms cannot be confused. */
const day = "2026-12-31";

function currencies(): { value: string; label: string }[] {
  const names = new Intl.DisplayNames([locale()], { type: "currency" });
  return Intl.supportedValuesOf("currency").map((value) => ({ value, label: `${value} · ${names.of(value) ?? value}` }));
}

/** A form's region; a member's also offers the company's default. */
export function RegionFields<T extends { region: RegionValues }>({ control, isOwn = false }: { control: Control<T>; isOwn?: boolean }) {
  const { t } = useTranslation();
  const time = (hour12: boolean) => formatDate(`${day}T14:30:00Z`, { hour: "numeric", minute: "2-digit", hour12, timeZone: "UTC" });
  // 2001-01-01 was a Monday.
  const weekday = (number: number) => formatDate(new Date(Date.UTC(2001, 0, number)), { timeZone: "UTC", weekday: "long" });
  const lists = {
    dateFormat: [
      { value: "mdy", label: "12/31/2026" },
      { value: "dmy", label: "31/12/2026" },
      { value: "ymd", label: day },
    ],
    timeFormat: [
      { value: "12h", label: time(true) },
      { value: "24h", label: time(false) },
    ],
    firstDay: [
      { value: "monday", label: weekday(1) },
      { value: "saturday", label: weekday(6) },
      { value: "sunday", label: weekday(7) },
    ],
  };
  const withDefault = (options: { value: string; label: string }[]) =>
    isOwn ? [{ value: "", label: t("ui.settings.region.companyDefault") }, ...options] : options;
  const searched = { phoneCountry: countries(), currency: currencies() };
  return (
    <fieldset>
      <legend className="mb-1 text-sm font-medium text-gray-700">{t("ui.settings.region.title")}</legend>
      <p className="mb-3 text-sm text-muted">{t("ui.settings.region.lead")}</p>
      <div className="grid gap-5 sm:grid-cols-3">
        {(["dateFormat", "timeFormat", "firstDay"] as const).map((name) => (
          <Controller
            key={name}
            control={control}
            name={`region.${name}` as Path<T>}
            render={({ field, fieldState }) => (
              <Select
                label={t(`ui.settings.region.${name}`)}
                value={field.value}
                onChange={field.onChange}
                error={fieldState.error?.message}
                options={withDefault(lists[name])}
              />
            )}
          />
        ))}
      </div>
      <div className="mt-5 grid gap-5 sm:grid-cols-2">
        {(["phoneCountry", "currency"] as const).map((name) => (
          <Controller
            key={name}
            control={control}
            name={`region.${name}` as Path<T>}
            render={({ field, fieldState }) => (
              <ChoiceField
                label={t(`ui.settings.region.${name}`)}
                value={String(field.value ?? "")}
                onChange={field.onChange}
                error={fieldState.error?.message}
                options={withDefault(searched[name])}
              />
            )}
          />
        ))}
      </div>
    </fieldset>
  );
}
