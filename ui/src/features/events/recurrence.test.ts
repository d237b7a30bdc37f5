import { expect, test } from "vitest";
import { makeRule, parseRule } from "./recurrence";

test("simple rules go through the form and come out as they were", () => {
  for (const rule of ["FREQ=DAILY", "FREQ=WEEKLY;UNTIL=20261231", "FREQ=MONTHLY", "FREQ=YEARLY"])
    expect(makeRule(parseRule(rule))).toBe(rule);
  expect(makeRule(parseRule(undefined))).toBeNull();
});

test("an end at a time of day is shown as its day", () => {
  expect(parseRule("RRULE:FREQ=WEEKLY;INTERVAL=1;UNTIL=20261231T230000Z")).toEqual({ frequency: "weekly", until: "2026-12-31" });
});

test("what the form cannot say is left alone", () => {
  expect(parseRule("FREQ=WEEKLY;BYDAY=MO,TU").frequency).toBe("custom");
  expect(parseRule("FREQ=DAILY;COUNT=5").frequency).toBe("custom");
  expect(parseRule("FREQ=HOURLY").frequency).toBe("custom");
});
