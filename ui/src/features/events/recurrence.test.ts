import { expect, test } from "vitest";
import { makeRule, parseRule } from "./recurrence";

test("converting simple rules to form values and back changes nothing", () => {
  for (const rule of ["FREQ=DAILY", "FREQ=WEEKLY;UNTIL=20261231", "FREQ=MONTHLY", "FREQ=YEARLY"])
    expect(makeRule(parseRule(rule))).toBe(rule);
  expect(makeRule(parseRule(undefined))).toBeNull();
});

test("reads an end with a time as its day", () => {
  expect(parseRule("RRULE:FREQ=WEEKLY;INTERVAL=1;UNTIL=20261231T230000Z")).toEqual({ frequency: "weekly", until: "2026-12-31" });
});

test("treats rules that the form cannot express as custom", () => {
  expect(parseRule("FREQ=WEEKLY;BYDAY=MO,TU").frequency).toBe("custom");
  expect(parseRule("FREQ=DAILY;COUNT=5").frequency).toBe("custom");
  expect(parseRule("FREQ=HOURLY").frequency).toBe("custom");
});
