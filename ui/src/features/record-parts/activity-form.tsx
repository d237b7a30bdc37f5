import { Clock, ListPlus, X } from "lucide-react";
import { type FormEvent, type KeyboardEvent, useEffect, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { useTranslation } from "react-i18next";
import { errorText, fieldError } from "@/api/errors";
import type { ActivityType } from "@/api/schema";
import { Alert } from "@/components/alert";
import { Button } from "@/components/button";
import { DateField } from "@/components/date-field";
import { IconButton } from "@/components/icon-button";
import { TextArea } from "@/components/text-area";
import { TextField } from "@/components/text-field";
import { TimeField } from "@/components/time-field";
import { useMay, useUser } from "@/features/account/data";
import { clock, instantOf, isoDay } from "@/lib/zone";
import type { ActivityValues, StepValues } from "./activities";
import { Chip } from "./chip";
import { StepFields } from "./step-fields";

/** What mostly comes of an activity of each type. */
const outcomes = {
  note: [],
  call: ["reached", "noAnswer", "leftMessage"],
  visit: ["wentWell", "undecided", "notInterested"],
  email: ["answered", "noReply"],
} as const satisfies Record<ActivityType, string[]>;

/** The fields whose errors the form shows where they are. */
const placed = ["text", "outcome", "at", "nextStep.title", "nextStep.dueDate", "nextStep.assigneeId"];

/** How far in the future an activity may be (`FUTURE_MINUTES` of `src/features/records/activities/rules.rs`). */
const futureMs = 24 * 60 * 60_000;

export interface ActivityFormProps {
  type: ActivityType;
  values: ActivityValues;
  onChange: (change: Partial<ActivityValues>) => void;
  /** The text of the button that sends it. */
  submit: string;
  isPending: boolean;
  error: unknown;
  /** Whether it may have a next step, as a new activity does. */
  hasNext?: boolean;
  onSubmit: () => void;
  onCancel?: (() => void) | undefined;
}

/** The fields of an activity. Ctrl+Enter sends it, as its button does. */
export function ActivityForm(props: ActivityFormProps) {
  const { type, values, onChange, submit, isPending, error, hasNext = false, onSubmit, onCancel } = props;
  const { text, outcome, at, next } = values;
  const { t } = useTranslation();
  const { id: me } = useUser();
  const mayAddTask = useMay("tasks.write");
  const form = useRef<HTMLFormElement>(null);
  const input = useRef<HTMLTextAreaElement>(null);
  const [isTried, setTried] = useState(false);
  /** Fields whose typed text is invalid. */
  const wrong = useRef(new Set<string>());
  const onWrong = (name: string) => (isWrong: boolean) => void (isWrong ? wrong.current.add(name) : wrong.current.delete(name));
  // biome-ignore lint/correctness/useExhaustiveDependencies: another type is another form
  useEffect(() => {
    setTried(false);
    input.current?.focus();
  }, [type]);
  const missing = {
    text: type === "note" && !text.trim(),
    day: at !== undefined && !at.day,
    next: next !== undefined && !next.title.trim(),
  };
  const isFuture = at?.day != null && instantOf(at.day, at.time || "00:00").getTime() > Date.now() + futureMs;
  const required = (isMissing: boolean) => (isTried && isMissing ? t("ui.form.required") : undefined);
  const send = (event: FormEvent) => {
    event.preventDefault();
    event.stopPropagation();
    setTried(true);
    if (missing.text || missing.day || missing.next || isFuture || wrong.current.size > 0) {
      requestAnimationFrame(() => form.current?.querySelector<HTMLElement>("[aria-invalid]")?.focus());
      return;
    }
    if (!isPending) onSubmit();
  };
  const key = (event: KeyboardEvent) => {
    if (event.key === "Escape" && onCancel && !event.defaultPrevented) {
      event.stopPropagation();
      onCancel();
    }
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    event.stopPropagation();
    // A day or time that is being typed is taken over when its field is left.
    const field = document.activeElement;
    if (field instanceof HTMLElement) {
      flushSync(() => field.blur());
      field.focus();
    }
    form.current?.requestSubmit();
  };
  const setNext = (change: Partial<StepValues>) => onChange({ next: { title: "", dueDate: null, assigneeId: me, ...next, ...change } });
  const offered = outcomes[type].map((name) => t(`ui.activities.outcomes.${name}`));
  const isPlaced = placed.some((name) => fieldError(error, name));
  return (
    <form ref={form} noValidate onSubmit={send} onKeyDown={key} className="grid grid-cols-1 gap-3.5">
      {error !== null && error !== undefined && !isPlaced && (
        <Alert kind="error">
          <b className="block font-medium">{t("ui.form.notSaved")}</b>
          {errorText(error)}
        </Alert>
      )}
      <TextArea
        ref={input}
        label={t(`ui.activities.texts.${type}`)}
        rows={2}
        value={text}
        required={type === "note"}
        error={fieldError(error, "text") ?? required(missing.text)}
        onChange={(event) => onChange({ text: event.target.value })}
        className="[&_textarea]:!min-h-16"
      />
      {offered.length > 0 && (
        <fieldset className="min-w-0">
          <legend className="mb-1.5 text-sm font-medium text-gray-700">{t("ui.activities.outcome")}</legend>
          <div className="flex flex-wrap items-start gap-2">
            {offered.map((label) => (
              <Chip
                key={label}
                label={label}
                isOn={outcome === label}
                onPress={() => onChange({ outcome: outcome === label ? "" : label })}
              />
            ))}
            <TextField
              label={t("ui.activities.otherOutcome")}
              hideLabel
              placeholder={t("ui.activities.otherOutcome")}
              autoComplete="off"
              value={offered.includes(outcome) ? "" : outcome}
              error={fieldError(error, "outcome")}
              onChange={(event) => onChange({ outcome: event.target.value })}
              className="min-w-36 flex-1 [&_input]:h-8.5 [&_input]:rounded-full [&_input]:text-sm"
            />
          </div>
        </fieldset>
      )}
      {at && (
        <div className="flex flex-wrap items-start gap-2">
          <DateField
            label={t("ui.activities.day")}
            value={at.day}
            onChange={(day) => onChange({ at: { ...at, day } })}
            onWrong={onWrong("day")}
            error={isTried && isFuture ? t("errors.fields.in_future") : (fieldError(error, "at") ?? required(missing.day))}
            className="min-w-[min(16rem,100%)] flex-1"
          />
          <TimeField
            label={t("ui.activities.time")}
            value={at.time}
            onChange={(time) => onChange({ at: { ...at, time } })}
            onWrong={onWrong("time")}
            className="w-26"
          />
          {hasNext && (
            <IconButton label={t("ui.activities.useNow")} icon={X} className="mt-6.5" onClick={() => onChange({ at: undefined })} />
          )}
        </div>
      )}
      {hasNext && next && (
        <fieldset className="grid min-w-0 grid-cols-1 gap-3 rounded-xl border border-line bg-sunken p-3.5">
          <legend className="sr-only">{t("ui.activities.nextStep")}</legend>
          <StepFields
            values={next}
            onChange={setNext}
            isTried={isTried}
            errorOf={(name) => fieldError(error, `nextStep.${name}`)}
            onWrong={onWrong("due")}
            action={
              <IconButton
                label={t("ui.activities.removeNextStep")}
                icon={X}
                className="mt-6.5"
                onClick={() => onChange({ next: undefined })}
              />
            }
          />
        </fieldset>
      )}
      <div className="flex flex-wrap items-center gap-2">
        <span className="-ml-2.75 flex flex-wrap">
          {!at && (
            <Button
              size="sm"
              variant="ghost"
              icon={Clock}
              aria-label={t("ui.activities.changeTime")}
              onClick={() => onChange({ at: { day: isoDay(), time: clock() } })}
            >
              {t("ui.activities.now")}
            </Button>
          )}
          {hasNext && mayAddTask && !next && (
            <Button size="sm" variant="ghost" icon={ListPlus} onClick={() => setNext({})}>
              {t("ui.activities.addNextStep")}
            </Button>
          )}
        </span>
        <span className="ml-auto flex gap-2">
          {onCancel && (
            <Button size="sm" onClick={onCancel}>
              {t("ui.action.cancel")}
            </Button>
          )}
          <Button size="sm" variant="primary" type="submit" busy={isPending}>
            {submit}
          </Button>
        </span>
      </div>
    </form>
  );
}
