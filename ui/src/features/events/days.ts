import type { Occurrence } from "@/api/schema";
import { weekOf } from "@/lib/week";
import { addDays, isoDay } from "@/lib/zone";

export type Span = "week" | "month";

/** Returns the week or month of a day: its first day, and the day after its last. */
export function around(day: string, span: Span): { from: string; to: string } {
  if (span === "month") {
    const from = `${day.slice(0, 7)}-01`;
    const next = addDays(from, 31);
    return { from, to: `${next.slice(0, 7)}-01` };
  }
  const from = weekOf(day);
  return { from, to: addDays(from, 7) };
}

/**
 * Returns an occurrence's first and last day in the member's time zone. One that ends at midnight ends the day before.
 */
export function daysOf(one: Pick<Occurrence, "allDay" | "start" | "end" | "startDate" | "endDate">): { first: string; last: string } {
  if (one.allDay) {
    const first = one.startDate ?? "";
    return { first, last: one.endDate ?? first };
  }
  const start = new Date(one.start ?? 0);
  const end = new Date(one.end ?? one.start ?? 0);
  const last = end > start ? new Date(end.getTime() - 1) : end;
  return { first: isoDay(start), last: isoDay(last) };
}

export interface Day {
  day: string;
  events: { event: Occurrence; first: boolean; last: boolean; number: number; count: number }[];
}

/** Groups occurrences by day, those of several days on each of them; empty days are left out, except today. */
export function byDay(occurrences: Occurrence[], from: string, to: string, today: string): Day[] {
  const days = new Map<string, Day["events"]>();
  if (today >= from && today < to) days.set(today, []);
  for (const event of occurrences) {
    const { first, last } = daysOf(event);
    const count = Math.round((Date.parse(`${last}T12:00:00Z`) - Date.parse(`${first}T12:00:00Z`)) / 86_400_000) + 1;
    for (let number = 1, day = first; number <= count && day < to; number += 1, day = addDays(day, 1)) {
      if (day < from) continue;
      const list = days.get(day) ?? [];
      list.push({ event, first: number === 1, last: number === count, number, count });
      days.set(day, list);
    }
  }
  // All-day events first, then by time.
  const rank = ({ event, first }: Day["events"][number]) => (event.allDay || !first ? "" : (event.start ?? ""));
  return [...days]
    .sort(([a], [b]) => a.localeCompare(b))
    .map(([day, events]) => ({ day, events: events.sort((a, b) => rank(a).localeCompare(rank(b))) }));
}
