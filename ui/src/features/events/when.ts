import type { Occurrence } from "@/api/schema";
import { formatDate, shortTime, zonedTime } from "@/lib/format";
import { daysOf } from "./days";

type Times = Pick<Occurrence, "allDay" | "start" | "end" | "startDate" | "endDate">;

/** Formats "Saturday, November 21, 2026, 10:00 – 11:30 AM", in a list "Sat, Nov 21, 2026"; over several days, both days. */
export function whenText(times: Times, allDay: string, style: "long" | "short" = "long"): string[] {
  const day = (value: string | Date) => formatDate(value, { weekday: style, day: "numeric", month: style, year: "numeric" });
  const { first, last } = daysOf(times);
  if (times.allDay) return [first === last ? day(first) : `${day(first)} – ${day(last)}`, allDay];
  const start = times.start ?? "";
  const end = times.end ?? start;
  if (first === last) return [day(start), `${shortTime(start)} – ${zonedTime(end)}`];
  return [`${day(start)}, ${shortTime(start)} –`, `${day(end)}, ${zonedTime(end)}`];
}
