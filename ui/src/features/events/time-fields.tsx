import type { UseFormReturn } from "react-hook-form";
import { useTranslation } from "react-i18next";
import { DateField } from "@/components/date-field";
import { TimeField } from "@/components/time-field";
import { FormInput } from "@/features/records/form-input";
import { clock, instantOf, isoDay } from "@/lib/zone";
import type { EventValues } from "./form-values";

const timeClass = "w-34 sm:w-auto sm:pt-6.5";

/** The start and end of an event. */
export function TimeFields({ form }: { form: UseFormReturn<EventValues> }) {
  const { t } = useTranslation();
  const { setValue, getValues, watch, clearErrors } = form;
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
        <FormInput form={form} name="startDate">
          {(input) => <DateField label={t("ui.events.start")} {...input} onChange={(date) => moveStart({ startDate: date })} />}
        </FormInput>
        {!allDay && (
          <FormInput form={form} name="startTime">
            {(input) => (
              <TimeField
                label={t("ui.events.startTime")}
                hideLabel
                className={timeClass}
                {...input}
                onChange={(time) => moveStart({ startTime: time })}
              />
            )}
          </FormInput>
        )}
      </div>
      <div className="grid grid-cols-1 items-start gap-2 sm:grid-cols-[minmax(0,1fr)_8.5rem]">
        <FormInput form={form} name="endDate">
          {(input) => (
            <DateField
              label={t("ui.events.end")}
              {...input}
              onChange={(date) => {
                input.onChange(date ?? getValues("startDate"));
                clearErrors("endDate");
              }}
            />
          )}
        </FormInput>
        {!allDay && (
          <FormInput form={form} name="endTime" validate={(time) => (time === "" ? t("ui.form.required") : undefined)}>
            {(input) => (
              <TimeField
                label={t("ui.events.endTime")}
                hideLabel
                className={timeClass}
                {...input}
                onChange={(time) => {
                  input.onChange(time);
                  clearErrors("endDate");
                }}
              />
            )}
          </FormInput>
        )}
      </div>
    </div>
  );
}
