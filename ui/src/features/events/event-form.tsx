import { useState } from "react";
import { Controller } from "react-hook-form";
import { useTranslation } from "react-i18next";
import type { CalendarEvent, EventScope } from "@/api/schema";
import { Alert } from "@/components/alert";
import { Avatar } from "@/components/avatar";
import { Checkbox } from "@/components/checkbox";
import { DateField } from "@/components/date-field";
import { Select } from "@/components/select";
import { Switch } from "@/components/switch";
import { TextArea } from "@/components/text-area";
import { TextField } from "@/components/text-field";
import { RecordForm } from "@/features/records/record-form";
import { type FormPlace, useRecordForm } from "@/features/records/use-record-form";
import { useMembers } from "@/features/team/data";
import { instantOf } from "@/lib/zone";
import { ColourField } from "./colour-field";
import { useEventViews } from "./conflict-views";
import { eventQuery, useSaveEvent } from "./data";
import { type EventValues, endsBeforeStart, toInput, toValues } from "./form-values";
import { frequencies } from "./recurrence";
import { reminderText } from "./reminder-text";
import { ScopeChoice } from "./scope-choice";
import { TimeFields } from "./time-fields";

const reminders = ["", "0", "10", "30", "60", "1440"] as const;

/** Returns the form field for the path of a server error. */
function fieldOf(path: string): keyof EventValues | undefined {
  const name = path.split(/[.[]/)[0] ?? "";
  const renamed: Record<string, keyof EventValues> = {
    start: "startDate",
    end: "endDate",
    recurrence: "frequency",
    attendees: "members",
    reminders: "reminder",
    timezone: "startDate",
    occurrence: "startDate",
  };
  if (renamed[name]) return renamed[name];
  const own: (keyof EventValues)[] = ["title", "startDate", "endDate", "location", "description", "color"];
  return own.find((field) => field === name);
}

interface EventFormProps extends FormPlace<CalendarEvent> {
  /** The occurrence of a repeating event that the form shows. */
  occurrence?: string | undefined;
  /** The default day of a new event. */
  day: string;
  /** Receives the saved event, and the occurrence that the form showed. */
  onSaved: (event: CalendarEvent, occurrence?: string) => void;
}

/** The form of an event: time, place, title and people. */
export function EventForm({ occurrence, day, onSaved, ...place }: EventFormProps) {
  const { t } = useTranslation();
  const { members } = useMembers();
  const { record: event } = place;
  const [scope, setScope] = useState<EventScope>("following");
  const form = useRecordForm({
    ...place,
    kind: "event",
    part: occurrence,
    query: (id: string) => eventQuery(id, occurrence),
    save: useSaveEvent(occurrence, scope),
    toValues: (shown?: CalendarEvent) => toValues(shown, day),
    toInput,
    fieldOf,
    check: (values) => {
      if (!values.startDate) return ["startDate", t("ui.form.required")];
      return endsBeforeStart(values) ? ["endDate", t("ui.events.endBeforeStart")] : undefined;
    },
    conflictViews: useEventViews(),
    onSaved: (saved) => {
      // With a changed rule, the occurrence may no longer exist.
      const isShown = occurrence && saved.recurrence && saved.recurrence === form.base?.recurrence;
      const { startDate, startTime, allDay } = form.getValues();
      onSaved(saved, isShown ? (allDay ? (startDate ?? undefined) : instantOf(startDate ?? "", startTime).toISOString()) : undefined);
    },
  });
  const { register, control, watch, errors } = form;
  const frequency = watch("frequency");
  const reminder = watch("reminder");
  const offered = members.filter((member) => member.state === "active" || watch("members").includes(member.id));

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
        required
        autoFocus
        maxLength={200}
        autoComplete="off"
        error={errors.title?.message}
        {...register("title", { validate: (value) => value.trim() !== "" || t("ui.form.required") })}
      />
      <Switch {...register("allDay")}>{t("ui.events.allDay")}</Switch>
      <TimeFields form={form} />
      <div className="grid grid-cols-1 gap-x-4 gap-y-5 sm:grid-cols-2">
        <Controller
          control={control}
          name="frequency"
          render={({ field }) => (
            <Select
              label={t("ui.events.repeat")}
              value={field.value}
              onChange={field.onChange}
              error={errors.frequency?.message}
              options={[...frequencies, ...(field.value === "custom" || event?.recurrence ? (["custom"] as const) : [])]
                .filter((value) => value !== "custom" || toValues(event, day).frequency === "custom")
                .map((value) => ({ value, label: t(`ui.events.frequencies.${value}`) }))}
            />
          )}
        />
        {frequency !== "none" && frequency !== "custom" && (
          <Controller
            control={control}
            name="until"
            render={({ field }) => (
              <DateField
                label={t("ui.events.repeatUntil")}
                hint={t("ui.events.repeatUntilHint")}
                value={field.value}
                onChange={field.onChange}
              />
            )}
          />
        )}
      </div>
      <TextField
        label={t("ui.events.location")}
        maxLength={300}
        autoComplete="off"
        error={errors.location?.message}
        {...register("location")}
      />
      <Controller
        control={control}
        name="color"
        render={({ field }) => <ColourField value={field.value} onChange={field.onChange} error={errors.color?.message} />}
      />
      <Controller
        control={control}
        name="reminder"
        render={({ field }) => (
          <Select
            label={t("ui.events.reminder")}
            value={field.value === "" ? "none" : field.value}
            onChange={(value) => field.onChange(value === "none" ? "" : value)}
            error={errors.reminder?.message}
            options={[...new Set([...reminders, reminder])].map((minutes) => ({
              value: minutes === "" ? "none" : minutes,
              label: reminderText(t, minutes),
            }))}
          />
        )}
      />
      <Controller
        control={control}
        name="members"
        render={({ field }) => (
          <fieldset>
            <legend className="mb-1.5 text-sm font-medium text-gray-700">{t("ui.events.attendees")}</legend>
            <ul className="max-h-60 divide-y divide-hover overflow-y-auto rounded-control border border-line">
              {offered.map((member) => (
                <li key={member.id}>
                  <Checkbox
                    className="w-full px-3 py-2 hover:bg-sunken"
                    checked={field.value.includes(member.id)}
                    onChange={(changed) =>
                      field.onChange(
                        changed.target.checked ? [...field.value, member.id] : field.value.filter((other) => other !== member.id),
                      )
                    }
                  >
                    <span className="flex min-w-0 items-center gap-2">
                      <Avatar name={member.name} src={member.avatar} size={24} />
                      <span className="truncate">{member.name}</span>
                    </span>
                  </Checkbox>
                </li>
              ))}
            </ul>
            {errors.members && <p className="mt-1.5 text-sm text-bad">{errors.members.message}</p>}
          </fieldset>
        )}
      />
      <TextArea
        label={t("ui.events.description")}
        rows={4}
        maxLength={5000}
        error={errors.description?.message}
        {...register("description")}
      />
    </RecordForm>
  );
}
