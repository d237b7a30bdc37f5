import type { CalendarEvent, EventPatch, InputOf } from "@/api/schema";
import { type ColourName, colourNames } from "@/lib/colours";
import { textOrNull } from "@/lib/text-or-null";
import { addDays, clock, instantOf, isoDay, timeZone } from "@/lib/zone";
import { type Frequency, makeRule, parseRule } from "./recurrence";

export interface EventValues {
  title: string;
  allDay: boolean;
  startDate: string | null;
  startTime: string;
  endDate: string | null;
  endTime: string;
  location: string;
  description: string;
  color: ColourName | "";
  frequency: Frequency;
  until: string | null;
  members: string[];
  /** The customers who attend. */
  customers: string[];
  /** Minutes before, "" for none. */
  reminder: string;
}

const hour = 3_600_000;

/** Returns the form's values; a new event starts at the next full hour of the shown day. */
export function toValues(event: CalendarEvent | undefined, day: string, now: Date = new Date()): EventValues {
  const next = `${clock(new Date(now.getTime() + hour)).slice(0, 2)}:00`;
  const start = event?.start ? new Date(event.start) : undefined;
  const end = event?.end ? new Date(event.end) : start;
  const startTime = start ? clock(start) : next;
  const first = start ? isoDay(start) : (event?.startDate ?? (day === isoDay(now) && startTime === "00:00" ? addDays(day, 1) : day));
  const { frequency, until } = parseRule(event?.recurrence);
  const after = new Date(instantOf(first, startTime).getTime() + hour);
  return {
    title: event?.title ?? "",
    allDay: event?.allDay ?? false,
    startDate: first,
    startTime,
    endDate: end ? isoDay(end) : (event?.endDate ?? isoDay(after)),
    endTime: end ? clock(end) : clock(after),
    location: event?.location ?? "",
    description: event?.description ?? "",
    color: colourNames.find((colour) => colour === event?.color) ?? "",
    frequency,
    until,
    members: event?.attendees.flatMap(({ memberId }) => memberId ?? []) ?? [],
    customers: event?.attendees.flatMap(({ customerId }) => customerId ?? []) ?? [],
    reminder: event?.reminders[0] === undefined ? "" : String(event.reminders[0]),
  };
}

/** Checks whether the end is before the start. */
export function endsBeforeStart({ allDay, startDate, startTime, endDate, endTime }: EventValues): boolean {
  if (!startDate || !endDate) return false;
  if (allDay) return endDate < startDate;
  return instantOf(endDate, endTime) < instantOf(startDate, startTime);
}

/** Returns the request body: only the times of the chosen kind. Values that the form does not show stay unchanged. */
export function toInput(values: EventValues, event: CalendarEvent | undefined): InputOf<"event"> {
  const startDate = values.startDate ?? "";
  const endDate = values.endDate ?? startDate;
  const times: Pick<EventPatch, "start" | "end" | "timezone" | "startDate" | "endDate"> = values.allDay
    ? { startDate, endDate }
    : {
        start: instantOf(startDate, values.startTime).toISOString(),
        end: instantOf(endDate, values.endTime).toISOString(),
        // A weekly meeting stays at nine in this time zone.
        timezone: event?.timezone ?? timeZone(),
      };
  const rest = event?.reminders.slice(1) ?? [];
  return {
    title: values.title.trim(),
    allDay: values.allDay,
    ...times,
    location: textOrNull(values.location),
    description: textOrNull(values.description),
    color: values.color || null,
    ...(values.frequency !== "custom" && { recurrence: makeRule(values) }),
    attendees: [...values.members.map((memberId) => ({ memberId })), ...values.customers.map((customerId) => ({ customerId }))],
    reminders: values.reminder === "" ? [] : [...new Set([Number(values.reminder), ...rest])],
  };
}
