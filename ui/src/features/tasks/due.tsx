import { useTranslation } from "react-i18next";
import { cx } from "@/lib/cx";
import { formatDate, longDate } from "@/lib/format";
import { addDays, isoDay } from "@/lib/zone";

/** Compares a due date with today. */
function dueState(dueDate: string | undefined, completed: boolean, today: string = isoDay()): "none" | "overdue" | "today" | "later" {
  if (!dueDate) return "none";
  if (completed) return "later";
  if (dueDate < today) return "overdue";
  return dueDate === today ? "today" : "later";
}

const tomorrow = () => addDays(isoDay(), 1);

/** A due date: red when it is past, amber today, in every colour scheme: the accent of some is a red, too. */
export function Due({ date, completed, className }: { date: string; completed: boolean; className?: string }) {
  const { t } = useTranslation();
  const state = dueState(date, completed);
  const text =
    state === "today"
      ? t("ui.tasks.today")
      : date === tomorrow()
        ? t("ui.tasks.tomorrow")
        : formatDate(date, { day: "numeric", month: "short", ...(date.slice(0, 4) !== isoDay().slice(0, 4) && { year: "numeric" }) });
  return (
    <time
      dateTime={date}
      title={longDate(date)}
      className={cx(
        "text-sm whitespace-nowrap tabular-nums",
        state === "overdue" ? "font-medium text-bad" : state === "today" ? "font-medium text-warn" : "text-muted",
        className,
      )}
    >
      {text}
      {state === "overdue" && <span className="sr-only">{` (${t("ui.tasks.overdue")})`}</span>}
    </time>
  );
}
