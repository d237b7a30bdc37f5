import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { DateField } from "@/components/date-field";
import { TextField } from "@/components/text-field";
import { MemberSelect } from "@/features/team/member-select";
import { addDays, isoDay } from "@/lib/zone";
import type { StepValues } from "./activities";
import { Chip } from "./chip";

/** Returns the same day of the next month, or its last one. */
function inMonth(day: string): string {
  const next = new Date(`${day}T00:00:00Z`);
  const date = next.getUTCDate();
  next.setUTCMonth(next.getUTCMonth() + 1);
  if (next.getUTCDate() !== date) next.setUTCDate(0);
  return next.toISOString().slice(0, 10);
}

export interface StepFieldsProps {
  values: StepValues;
  onChange: (change: Partial<StepValues>) => void;
  /** Whether saving was tried, after which a missing title is an error. */
  isTried: boolean;
  /** Returns the server's error of a field. */
  errorOf: (name: keyof StepValues) => string | undefined;
  /** Receives whether the typed date is invalid. */
  onWrong: (isWrong: boolean) => void;
  /** Beside the title. */
  action?: ReactNode;
}

/** The fields of a task that comes next: what, when and who. */
export function StepFields({ values, onChange, isTried, errorOf, onWrong, action }: StepFieldsProps) {
  const { t } = useTranslation();
  const { title, dueDate, assigneeId } = values;
  const today = isoDay();
  const days = [
    { day: addDays(today, 1), label: t("ui.tasks.tomorrow") },
    { day: addDays(today, 7), label: t("ui.activities.inWeek") },
    { day: inMonth(today), label: t("ui.activities.inMonth") },
  ];
  return (
    <>
      <div className="flex items-start gap-2">
        <TextField
          label={t("ui.activities.nextTitle")}
          required
          autoFocus
          autoComplete="off"
          value={title}
          error={errorOf("title") ?? (isTried && !title.trim() ? t("ui.form.required") : undefined)}
          onChange={(event) => onChange({ title: event.target.value })}
          className="flex-1"
        />
        {action}
      </div>
      <div className="flex flex-wrap gap-2">
        {days.map(({ day, label }) => (
          <Chip key={label} label={label} isOn={dueDate === day} onPress={() => onChange({ dueDate: dueDate === day ? null : day })} />
        ))}
      </div>
      <div className="grid grid-cols-1 gap-3 sm:grid-cols-2">
        <DateField
          label={t("ui.tasks.dueDate")}
          value={dueDate}
          onChange={(day) => onChange({ dueDate: day })}
          onWrong={onWrong}
          error={errorOf("dueDate")}
        />
        <MemberSelect
          label={t("ui.tasks.assignee")}
          value={assigneeId}
          error={errorOf("assigneeId")}
          onChange={(id) => onChange({ assigneeId: id })}
        />
      </div>
    </>
  );
}
