import type { TFunction } from "i18next";
import { useId } from "react";
import { Controller, useForm } from "react-hook-form";
import { useTranslation } from "react-i18next";
import { ApiError } from "@/api/errors";
import type { CalendarEvent } from "@/api/schema";
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
import { eventColour, eventColours } from "@/lib/colours";
import { showFieldErrors } from "@/lib/form-errors";
import { useFormDraft } from "@/lib/use-form-draft";
import { clock, instantOf, isoDay } from "@/lib/zone";
import { useSaveEvent } from "./data";
import { type EventValues, endsBeforeStart, toInput, toValues } from "./form-values";
import { frequencies } from "./recurrence";

const reminders = ["", "0", "10", "30", "60", "1440"] as const;

/** Which field of the form a path of the server's complaint means. */
function fieldOf(path: string): keyof EventValues | undefined {
  const name = path.split(/[.[]/)[0] ?? "";
  const renamed: Record<string, keyof EventValues> = {
    start: "startDate",
    end: "endDate",
    recurrence: "frequency",
    attendees: "members",
    reminders: "reminder",
    timezone: "startDate",
  };
  if (renamed[name]) return renamed[name];
  const own: (keyof EventValues)[] = ["title", "startDate", "endDate", "location", "description", "color"];
  return own.find((field) => field === name);
}

function Colours({ value, onChange, error }: { value: string; onChange: (value: string) => void; error: string | undefined }) {
  const { t } = useTranslation();
  const group = useId();
  return (
    <fieldset>
      <legend className="mb-1.5 text-sm font-medium text-gray-700">{t("ui.events.color")}</legend>
      <div className="-m-1 flex flex-wrap">
        {["", ...eventColours].map((colour) => (
          <label
            key={colour}
            title={t(`ui.events.colors.${(colour || "none") as "none"}`)}
            className="relative grid size-9 place-items-center rounded-full has-focus-visible:outline-2 has-focus-visible:outline-primary"
          >
            <input
              type="radio"
              name={group}
              value={colour}
              checked={value === colour}
              onChange={() => onChange(colour)}
              aria-label={t(`ui.events.colors.${(colour || "none") as "none"}`)}
              className="peer absolute inset-0 m-0 appearance-none opacity-0"
            />
            <span
              aria-hidden
              className="size-6 rounded-full ring-offset-2 ring-offset-surface peer-checked:ring-2 peer-checked:ring-gray-900"
              style={{ background: eventColour(colour || undefined) }}
            />
          </label>
        ))}
      </div>
      {error && <p className="mt-1.5 text-sm text-bad">{error}</p>}
    </fieldset>
  );
}

export interface EventFormProps {
  event: CalendarEvent | undefined;
  /** The day a new event is made for. */
  day: string;
  onSaved: (event: CalendarEvent) => void;
  onCancel: () => void;
  onDelete?: (() => void) | undefined;
  onReload?: () => void;
}

/** When, where, what and who. */
export function EventForm({ event, day, onSaved, onCancel, onDelete, onReload }: EventFormProps) {
  const { t } = useTranslation();
  const user = useUser();
  const { members } = useMembers();
  const form = useForm<EventValues>({ defaultValues: toValues(event, day), mode: "onTouched" });
  const { register, control, handleSubmit, setError, setValue, getValues, watch, clearErrors, formState } = form;
  const { errors, isDirty } = formState;
  const draft = useFormDraft(form, user.id, `event.${event?.id ?? "new"}`);
  const save = useSaveEvent(event);
  const guard = useLeaveGuard(isDirty && !save.isPending, draft.drop);
  const allDay = watch("allDay");
  const frequency = watch("frequency");
  const reminder = watch("reminder");

  const submit = handleSubmit((values) => {
    if (!values.startDate) return setError("startDate", { message: t("ui.form.required") }, { shouldFocus: true });
    if (endsBeforeStart(values)) return setError("endDate", { message: t("ui.events.endBeforeStart") }, { shouldFocus: true });
    return save.mutate(toInput(values, event), {
      onSuccess: (saved) => {
        guard.allow();
        draft.drop();
        onSaved(saved);
      },
      onError: (error) => showFieldErrors(error, setError, fieldOf),
    });
  });
  /** Moving the start moves the end along, so that the event stays as long as it was. */
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
        onReload={onReload}
        onCancel={onCancel}
        onDelete={onDelete}
        submit={event ? t("ui.action.save") : t("ui.events.add")}
      >
        {event?.recurrence && <Alert kind="info">{t("ui.events.seriesHint")}</Alert>}
        <TextField
          label={t("ui.events.titleField")}
          required
          autoFocus={!event}
          maxLength={200}
          autoComplete="off"
          error={errors.title?.message}
          {...register("title", { validate: (value) => value.trim() !== "" || t("ui.form.required") })}
        />
        <Switch {...register("allDay")}>{t("ui.events.allDay")}</Switch>
        <div className="grid grid-cols-1 gap-y-5">
          <div className="flex flex-wrap items-start gap-2">
            <Controller
              control={control}
              name="startDate"
              render={({ field }) => (
                <DateField
                  label={t("ui.events.start")}
                  className="min-w-44 flex-1"
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
                  <TextField
                    label={t("ui.events.startTime")}
                    hideLabel
                    type="time"
                    className="w-34 shrink-0 sm:pt-6.5"
                    value={field.value}
                    onBlur={field.onBlur}
                    onChange={(changed) => moveStart({ startTime: changed.target.value })}
                  />
                )}
              />
            )}
          </div>
          <div className="flex flex-wrap items-start gap-2">
            <Controller
              control={control}
              name="endDate"
              render={({ field }) => (
                <DateField
                  label={t("ui.events.end")}
                  className="min-w-44 flex-1"
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
              <TextField
                label={t("ui.events.endTime")}
                hideLabel
                type="time"
                className="w-34 shrink-0 sm:pt-6.5"
                {...register("endTime", {
                  onChange: () => clearErrors("endDate"),
                  validate: (value) => value !== "" || t("ui.form.required"),
                })}
                error={errors.endTime?.message}
              />
            )}
          </div>
        </div>
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
          render={({ field }) => <Colours value={field.value} onChange={field.onChange} error={errors.color?.message} />}
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
    </>
  );
}

/** "10 minutes before" */
export function reminderText(t: TFunction, minutes: string): string {
  if (minutes === "") return t("ui.events.reminderNone");
  const count = Number(minutes);
  if (count === 0) return t("ui.events.reminderNow");
  if (count % 1440 === 0) return t("ui.events.reminderDays", { count: count / 1440 });
  if (count % 60 === 0) return t("ui.events.reminderHours", { count: count / 60 });
  return t("ui.events.reminderMinutes", { count });
}
