import { expect, test } from "vitest";
import type { Occurrence } from "@/api/schema";
import { type Region, setRegion } from "@/lib/region";
import { addDays } from "@/lib/zone";
import { around, byDay, daysOf } from "./days";

const base = { version: 1, createdAt: "", updatedAt: "", title: "", attendees: [], reminders: [], fields: {} };
const allDay = (eventId: string, startDate: string, endDate: string): Occurrence => ({
  ...base,
  id: eventId,
  eventId,
  occurrence: startDate,
  allDay: true,
  startDate,
  endDate,
});
const timed = (eventId: string, start: Date, end: Date): Occurrence => ({
  ...base,
  id: eventId,
  eventId,
  occurrence: start.toISOString(),
  allDay: false,
  start: start.toISOString(),
  end: end.toISOString(),
});

test("adds days across months, years and clock changes", () => {
  expect(addDays("2026-12-31", 1)).toBe("2027-01-01");
  expect(addDays("2026-03-28", 2)).toBe("2026-03-30");
  expect(addDays("2026-03-01", -1)).toBe("2026-02-28");
});

test("a week begins on the first day of the region", () => {
  setRegion({ firstDay: "sunday" } as Region);
  expect(around("2026-11-21", "week")).toEqual({ from: "2026-11-15", to: "2026-11-22" });
  expect(around("2026-11-22", "week").from).toBe("2026-11-22");
  setRegion({ firstDay: "monday" } as Region);
  expect(around("2026-11-21", "week")).toEqual({ from: "2026-11-16", to: "2026-11-23" });
  setRegion(undefined);
});

test("a month range ends on the first day of the next month", () => {
  expect(around("2026-02-10", "month")).toEqual({ from: "2026-02-01", to: "2026-03-01" });
  expect(around("2026-12-31", "month")).toEqual({ from: "2026-12-01", to: "2027-01-01" });
});

test("an event that ends at midnight is not on the next day", () => {
  const event = timed("a", new Date(2026, 10, 21, 20), new Date(2026, 10, 22, 0));
  expect(daysOf(event)).toEqual({ first: "2026-11-21", last: "2026-11-21" });
});

test("lists long events on each of their days, all-day events first, and always includes today", () => {
  const days = byDay(
    [
      timed("late", new Date(2026, 10, 20, 15), new Date(2026, 10, 20, 16)),
      timed("early", new Date(2026, 10, 20, 9), new Date(2026, 10, 20, 10)),
      allDay("fair", "2026-11-19", "2026-11-20"),
    ],
    "2026-11-20",
    "2026-11-27",
    "2026-11-21",
  );
  expect(days.map(({ day, events }) => [day, events.map(({ event, number, count }) => `${event.eventId} ${number}/${count}`)])).toEqual([
    ["2026-11-20", ["fair 2/2", "early 1/1", "late 1/1"]],
    ["2026-11-21", []],
  ]);
});
