import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Controller, useForm } from "react-hook-form";
import { useTranslation } from "react-i18next";
import { ApiError } from "@/api/errors";
import type { CalendarEvent, EventScope } from "@/api/schema";
import { Alert } from "@/components/alert";
import { Avatar } from "@/components/avatar";
import { Checkbox } from "@/components/checkbox";
import { DateField } from "@/components/date-field";
import { useLeaveGuard } from "@/components/leave-guard";
import { RecordForm } from "@/components/record-form";
import { Select } from "@/components/select";
import { Switch } from "@/components/switch";
import { TextArea } from "@/components/text-area";
import { TextField } from "@/components/text-field";
import { useUser } from "@/features/account/data";
import { useMembers } from "@/features/team/data";
import { EditorsNote } from "@/features/team/editors-note";
import { RecordConflict } from "@/features/team/record-conflict";
import { instantOf } from "@/lib/zone";
import { isStale } from "@/records/conflicts";
import { showFieldErrors } from "@/records/form-errors";
import { useConflict, useFormBaseline } from "@/records/use-conflict";
import { useFormDraft } from "@/records/use-form-draft";
import { ColourField } from "./colour-field";
import { useEventFields } from "./conflict-fields";
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

export interface EventFormProps {
  event: CalendarEvent | undefined;
  /** The occurrence of a repeating event that the form shows. */
  occurrence?: string | undefined;
  /** The default day of a new event. */
  day: string;
  /** Receives the saved event, and the occurrence that the form showed. */
  onSaved: (event: CalendarEvent, occurrence?: string) => void;
  onCancel: () => void;
  onDelete?: (() => void) | undefined;
}

/** The form of an event: time, place, title and people. */
export function EventForm({ event, occurrence, day, onSaved, onCancel, onDelete }: EventFormProps) {
  const { t } = useTranslation();
  const user = useUser();
  const client = useQueryClient();
  const { members } = useMembers();
  const draftName = `event.${event?.id ?? "new"}${occurrence ? `.${occurrence}` : ""}`;
  const [scope, setScope] = useState<EventScope>("following");
  const baseline = useFormBaseline(event, user.id, draftName);
  const form = useForm<EventValues>({ defaultValues: toValues(baseline.base, day), mode: "onTouched" });
  const { register, control, handleSubmit, setError, watch, formState } = form;
  const { errors, isDirty } = formState;
  const draft = useFormDraft(form, user.id, draftName);
  const save = useSaveEvent(baseline.base, occurrence);
  const guard = useLeaveGuard(isDirty && !save.isPending, draft.finish);
  const frequency = watch("frequency");
  const reminder = watch("reminder");

  const done = (saved: CalendarEvent) => {
    guard.allow();
    draft.finish();
    // With a changed rule, the occurrence may no longer exist.
    const shown = occurrence && saved.recurrence && saved.recurrence === baseline.base?.recurrence;
    const { startDate, startTime, allDay } = form.getValues();
    onSaved(saved, shown ? (allDay ? (startDate ?? undefined) : instantOf(startDate ?? "", startTime).toISOString()) : undefined);
  };
  const submit = handleSubmit((values) => {
    if (!values.startDate) return setError("startDate", { message: t("ui.form.required") }, { shouldFocus: true });
    if (endsBeforeStart(values)) return setError("endDate", { message: t("ui.events.endBeforeStart") }, { shouldFocus: true });
    const input = toInput(values, baseline.base);
    return save.mutate(
      { input, scope },
      {
        onSuccess: done,
        onError: (error) => {
          if (isStale(error)) void conflict.open().catch(() => undefined);
          showFieldErrors(error, setError, fieldOf);
        },
      },
    );
  });
  const conflict = useConflict({
    record: event,
    baseline,
    form,
    toValues: (record) => toValues(record, day),
    read: () => client.fetchQuery({ ...eventQuery(event?.id ?? "", occurrence), staleTime: 0 }),
    save: () => void submit(),
  });
  const fields = useEventFields();
  const unplaced = save.error && !(save.error instanceof ApiError && Object.keys(save.error.fields).some(fieldOf)) ? save.error : undefined;
  const offered = members.filter((member) => member.state === "active" || watch("members").includes(member.id));

  return (
    <>
      <RecordForm
        onSubmit={() => void submit()}
        draft={draft}
        guard={guard}
        save={save}
        error={unplaced}
        onCompare={() => void conflict.open().catch(() => undefined)}
        editors={<EditorsNote kind="event" recordId={event?.id} />}
        onCancel={onCancel}
        onDelete={onDelete}
        submit={event ? t("ui.action.save") : t("ui.events.add")}
      >
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
      {guard.dialog}
      <RecordConflict kind="event" conflict={conflict} fields={fields} onTaken={done} />
    </>
  );
}
