import { useTranslation } from "react-i18next";
import { Segmented } from "@/components/segmented";

/** What the calendar shows: the agenda of a week or a month, or all events as a list. */
export type CalendarSpan = "week" | "month" | "list";

export const calendarSpans = ["week", "month", "list"] as const satisfies CalendarSpan[];

/** Chooses what the calendar shows. */
export function SpanChoice({ value, onChange }: { value: CalendarSpan; onChange: (value: CalendarSpan) => void }) {
  const { t } = useTranslation();
  const options = calendarSpans.map((span) => ({ value: span, label: t(`ui.events.${span}`) }));
  return <Segmented refocus label={t("ui.events.span")} value={value} onChange={onChange} options={options} />;
}
