import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useSearchParams } from "react-router";
import type { CalendarEvent, EventScope } from "@/api/schema";
import { Alert } from "@/components/alert";
import { DateField } from "@/components/date-field";
import { Select } from "@/components/select";
import { Switch } from "@/components/switch";
import { TextArea } from "@/components/text-area";
import { TextField } from "@/components/text-field";
import { AttendeesInput } from "@/features/records/attendees";
import { FormInput } from "@/features/records/form-input";
import { RecordForm } from "@/features/records/record-form";
import { type FormPlace, useRecordForm } from "@/features/records/use-record-form";
import { calendarDay, readSearchParams, recordId } from "@/lib/search-params";
import { instantOf, isoDay } from "@/lib/zone";
import { ColourField } from "./colour-field";
import { useEventViews } from "./conflict-views";
import { changeEvent, eventQuery } from "./data";
import { type EventValues, endsBeforeStart, toInput, toValues } from "./form-values";
import { frequencies } from "./recurrence";
import { reminderText } from "./reminder-text";
import { ScopeChoice } from "./scope-choice";
import { TimeFields } from "./time-fields";
import { attendeeParameter, useEventAddress, useOccurrence } from "./use-event-address";

const reminders = ["", "0", "10", "30", "60", "1440"] as const;

/** The fields of the form for those of the server that it shows in another way. */
const renamed: Record<string, keyof EventValues> = {
  allDay: "startDate",
  start: "startDate",
  end: "endDate",
  recurrence: "frequency",
  attendees: "members",
  reminders: "reminder",
  timezone: "startDate",
  occurrence: "startDate",
};

/** The form of an event: time, place, title and people. */
export function EventForm(place: FormPlace<CalendarEvent>) {
  const { t } = useTranslation();
  const { record: event } = place;
  const [search] = useSearchParams();
  const { day = isoDay(), person } = readSearchParams(search, { day: calendarDay, [attendeeParameter]: recordId });
  const shownOccurrence = useOccurrence();
  const occurrence = event && shownOccurrence;
  const { toRecord } = useEventAddress();
  const [scope, setScope] = useState<EventScope>("following");
  const form = useRecordForm({
    ...place,
    kind: "event",
    part: occurrence,
    query: eventQuery(event?.id ?? "", occurrence),
    change: changeEvent(occurrence, scope),
    toValues: (shown) => ({ ...toValues(shown, day), ...(!shown && person && { customers: [person] }) }),
    toInput,
    fieldOf: (path) => renamed[path.split(/[.[]/)[0] ?? ""],
    check: (values) => {
      if (!values.startDate) return ["startDate", t("ui.form.required")];
      return endsBeforeStart(values) ? ["endDate", t("ui.events.endBeforeStart")] : undefined;
    },
    conflictViews: useEventViews(),
    onSaved: (saved) => {
      place.onSaved(saved);
      if (!event) return;
      // With a changed rule, the occurrence may no longer exist.
      const isShown = occurrence && saved.recurrence && saved.recurrence === form.base?.recurrence;
      const { startDate, startTime, allDay } = form.getValues();
      toRecord(saved.id, isShown ? (allDay ? (startDate ?? undefined) : instantOf(startDate ?? "", startTime).toISOString()) : undefined);
    },
  });
  const { registerText, watch } = form;
  const frequency = watch("frequency");

  return (
    <RecordForm form={form}>
      {event?.recurrence &&
        (occurrence ? (
          <div className="rounded-control border border-line bg-sunken p-4">
            <p className="mb-2 text-sm font-medium text-body">{t("ui.events.scope")}</p>
            <ScopeChoice value={scope} onChange={setScope} className="flex-wrap" />
            <p className="mt-2 text-sm text-muted">
              {scope === "following" ? t("ui.events.scopeFollowingHint") : t("ui.events.scopeAllHint")}
            </p>
          </div>
        ) : (
          <Alert kind="info">{t("ui.events.seriesHint")}</Alert>
        ))}
      <TextField
        label={t("ui.events.titleField")}
        autoFocus
        maxLength={200}
        autoComplete="off"
        {...registerText("title", { isRequired: true })}
      />
      <Switch {...form.register("allDay")}>{t("ui.events.allDay")}</Switch>
      <TimeFields form={form} />
      <div className="grid grid-cols-1 gap-x-4 gap-y-5 sm:grid-cols-2">
        <FormInput form={form} name="frequency">
          {(input) => (
            <Select
              label={t("ui.events.repeat")}
              {...input}
              options={[...frequencies, ...(input.value === "custom" || event?.recurrence ? (["custom"] as const) : [])]
                .filter((value) => value !== "custom" || toValues(event, day).frequency === "custom")
                .map((value) => ({ value, label: t(`ui.events.frequencies.${value}`) }))}
            />
          )}
        </FormInput>
        {frequency !== "none" && frequency !== "custom" && (
          <FormInput form={form} name="until">
            {(input) => <DateField label={t("ui.events.repeatUntil")} hint={t("ui.events.repeatUntilHint")} {...input} />}
          </FormInput>
        )}
      </div>
      <TextField label={t("ui.events.location")} maxLength={300} autoComplete="off" {...registerText("location")} />
      <FormInput form={form} name="color">
        {(input) => <ColourField {...input} />}
      </FormInput>
      <FormInput form={form} name="reminder">
        {(input) => (
          <Select
            label={t("ui.events.reminder")}
            {...input}
            value={input.value || "none"}
            onChange={(value) => input.onChange(value === "none" ? "" : value)}
            options={[...new Set([...reminders, input.value])].map((minutes) => ({
              value: minutes || "none",
              label: reminderText(t, minutes),
            }))}
          />
        )}
      </FormInput>
      <FormInput form={form} name="members">
        {({ value, onChange, error }) => (
          <FormInput form={form} name="customers">
            {(guests) => (
              <AttendeesInput
                label={t("ui.events.attendees")}
                error={error}
                value={[...value.map((memberId) => ({ memberId })), ...guests.value.map((customerId) => ({ customerId }))]}
                onChange={(attendees) => {
                  onChange(attendees.flatMap(({ memberId }) => memberId ?? []));
                  guests.onChange(attendees.flatMap(({ customerId }) => customerId ?? []));
                }}
              />
            )}
          </FormInput>
        )}
      </FormInput>
      <TextArea label={t("ui.events.description")} rows={4} maxLength={5000} {...registerText("description")} />
    </RecordForm>
  );
}
