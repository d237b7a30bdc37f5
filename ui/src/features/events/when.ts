import type { Occurrence } from "@/api/schema";
import { formatDate, shortTime } from "@/lib/format";
import { daysOf } from "./days";

type Times = Pick<Occurrence, "allDay" | "start" | "end" | "startDate" | "endDate">;

const day = (value: string | Date) => formatDate(value, { weekday: "long", day: "numeric", month: "long", year: "numeric" });

/** Formats "Saturday, November 21, 2026, 10:00 – 11:30 AM"; over several days, both days. */
export function whenText(times: Times, allDay: string): string[] {
  const { first, last } = daysOf(times);
  if (times.allDay) return [first === last ? day(first) : `${day(first)} – ${day(last)}`, allDay];
  const start = times.start ?? "";
  const end = times.end ?? start;
  if (first === last) return [day(start), `${shortTime(start)} – ${shortTime(end)}`];
  return [`${day(start)}, ${shortTime(start)} –`, `${day(end)}, ${shortTime(end)}`];
}
