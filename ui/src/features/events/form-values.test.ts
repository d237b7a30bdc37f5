import { expect, test } from "vitest";
import type { CalendarEvent } from "@/api/schema";
import { endsBeforeStart, toInput, toValues } from "./form-values";

const base = { id: "e", version: 1, createdAt: "", updatedAt: "", title: "Review", attendees: [], reminders: [], fields: {} };

test("a new event starts at the next full hour and lasts one hour", () => {
  const values = toValues(undefined, "2026-11-21", new Date(2026, 10, 21, 14, 20));
  expect([values.startDate, values.startTime, values.endDate, values.endTime]).toEqual(["2026-11-21", "15:00", "2026-11-21", "16:00"]);
  const late = toValues(undefined, "2026-11-21", new Date(2026, 10, 21, 23, 20));
  expect([late.startDate, late.startTime, late.endTime]).toEqual(["2026-11-22", "00:00", "01:00"]);
});

test("a timed event keeps its times, attendees and recurrence through the form", () => {
  const event: CalendarEvent = {
    ...base,
    allDay: false,
    start: "2026-11-21T10:00:00.000Z",
    end: "2026-11-21T11:30:00.000Z",
    timezone: "Europe/Madrid",
    recurrence: "FREQ=WEEKLY;BYDAY=MO",
    attendees: [{ customerId: "c1" }, { memberId: "m1" }],
    reminders: [10, 60],
  };
  const input = toInput(toValues(event, "2026-11-21"), event);
  expect(input).toMatchObject({ start: event.start, end: event.end, timezone: "Europe/Madrid", reminders: [10, 60] });
  expect(input.attendees).toEqual([{ memberId: "m1" }, { customerId: "c1" }]);
  expect("recurrence" in input).toBe(false);
  expect("startDate" in input).toBe(false);
});

test("an all-day event has days and no times", () => {
  const event: CalendarEvent = { ...base, allDay: true, startDate: "2026-11-23", endDate: "2026-11-24", location: "Hall 7" };
  const input = toInput({ ...toValues(event, "2026-11-21"), location: "" }, event);
  expect(input).toMatchObject({ allDay: true, startDate: "2026-11-23", endDate: "2026-11-24", location: null, recurrence: null });
  expect("start" in input).toBe(false);
});

test("detects an end before the start", () => {
  const values = toValues(undefined, "2026-11-21", new Date(2026, 10, 21, 9));
  expect(endsBeforeStart(values)).toBe(false);
  expect(endsBeforeStart({ ...values, endTime: "09:59" })).toBe(true);
  expect(endsBeforeStart({ ...values, allDay: true, endTime: "09:59" })).toBe(false);
  expect(endsBeforeStart({ ...values, allDay: true, endDate: "2026-11-20" })).toBe(true);
});
