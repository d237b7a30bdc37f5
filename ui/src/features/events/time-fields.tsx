import { Controller, type UseFormReturn } from "react-hook-form";
import { useTranslation } from "react-i18next";
import { DateField } from "@/components/date-field";
import { TimeField } from "@/components/time-field";
import { clock, instantOf, isoDay } from "@/lib/zone";
import type { EventValues } from "./form-values";

/** The start and end of an event. */
export function TimeFields({ form }: { form: UseFormReturn<EventValues> }) {
  const { t } = useTranslation();
  const { control, setValue, getValues, watch, clearErrors, formState } = form;
  const { errors } = formState;
  const allDay = watch("allDay");
  /** Moving the start also moves the end, so that the duration stays the same. */
  const moveStart = (change: Partial<Pick<EventValues, "startDate" | "startTime">>) => {
    const before = getValues();
    const after = { ...before, ...change };
    for (const [name, value] of Object.entries(change)) setValue(name as "startDate", value, { shouldDirty: true });
    clearErrors(["startDate", "endDate"]);
    if (!before.startDate || !before.endDate || !after.startDate || !after.startTime) return;
    const moved = instantOf(after.startDate, after.startTime).getTime() - instantOf(before.startDate, before.startTime).getTime();
    const end = new Date(instantOf(before.endDate, before.endTime).getTime() + moved);
    if (Number.isNaN(end.getTime())) return;
    setValue("endDate", isoDay(end), { shouldDirty: true });
    setValue("endTime", clock(end), { shouldDirty: true });
  };
  return (
    <div className="grid grid-cols-1 gap-y-5">
      <div className="grid grid-cols-1 items-start gap-2 sm:grid-cols-[minmax(0,1fr)_8.5rem]">
        <Controller
          control={control}
          name="startDate"
          render={({ field }) => (
            <DateField
              label={t("ui.events.start")}
              value={field.value}
              onChange={(date) => moveStart({ startDate: date })}
              error={errors.startDate?.message}
            />
          )}
        />
        {!allDay && (
          <Controller
            control={control}
            name="startTime"
            render={({ field }) => (
              <TimeField
                label={t("ui.events.startTime")}
                hideLabel
                className="w-34 sm:w-auto sm:pt-6.5"
                value={field.value}
                onChange={(time) => moveStart({ startTime: time })}
              />
            )}
          />
        )}
      </div>
      <div className="grid grid-cols-1 items-start gap-2 sm:grid-cols-[minmax(0,1fr)_8.5rem]">
        <Controller
          control={control}
          name="endDate"
          render={({ field }) => (
            <DateField
              label={t("ui.events.end")}
              value={field.value}
              onChange={(date) => {
                field.onChange(date ?? getValues("startDate"));
                clearErrors("endDate");
              }}
              error={errors.endDate?.message}
            />
          )}
        />
        {!allDay && (
          <Controller
            control={control}
            name="endTime"
            rules={{ validate: (value) => value !== "" || t("ui.form.required") }}
            render={({ field }) => (
              <TimeField
                label={t("ui.events.endTime")}
                hideLabel
                className="w-34 sm:w-auto sm:pt-6.5"
                value={field.value}
                onChange={(time) => {
                  field.onChange(time);
                  clearErrors("endDate");
                }}
                error={errors.endTime?.message}
              />
            )}
          />
        )}
      </div>
    </div>
  );
}
