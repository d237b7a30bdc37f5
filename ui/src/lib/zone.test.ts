import { afterEach, describe, expect, it } from "vitest";
import { formatDate, shortTime, zonedTime } from "./format";
import { addDays, clock, deviceZone, instantOf, isoDay, setTimeZone, timeZone } from "./zone";

afterEach(() => setTimeZone(undefined));

describe.each(["America/Los_Angeles", "Europe/Madrid", "Asia/Kolkata", "Pacific/Auckland", "Pacific/Kiritimati"])("in %s", (zone) => {
  it("converts a wall-clock time to an instant and back", () => {
    setTimeZone(zone);
    for (const day of ["2026-01-15", "2026-07-15", "2026-03-29", "2026-10-25"]) {
      for (const time of ["00:00", "09:30", "12:00", "23:59"]) {
        const instant = instantOf(day, time);
        expect([isoDay(instant), clock(instant)]).toEqual([day, time]);
      }
    }
  });

  it("shows a date without time as the same day", () => {
    setTimeZone(zone);
    expect(formatDate("2026-11-21", { year: "numeric", month: "2-digit", day: "2-digit" })).toBe("11/21/2026");
  });
});

it("shows times in the member's time zone", () => {
  setTimeZone("Europe/Madrid");
  expect(shortTime("2026-11-21T22:30:00Z")).toBe("11:30 PM");
  expect(isoDay(new Date("2026-11-21T23:30:00Z"))).toBe("2026-11-22");
  setTimeZone("America/Los_Angeles");
  expect(shortTime("2026-11-21T22:30:00Z")).toBe("2:30 PM");
});

it("moves a time that a clock change skips past the change", () => {
  setTimeZone("Europe/Madrid");
  expect(instantOf("2026-03-29", "02:30").toISOString()).toBe("2026-03-29T01:30:00.000Z");
});

it("falls back to the browser's zone for an unknown one", () => {
  setTimeZone("Mars/Olympus");
  expect(timeZone()).toBe(Intl.DateTimeFormat().resolvedOptions().timeZone);
});

it("adds days across month ends and clock changes", () => {
  expect([addDays("2026-02-28", 1), addDays("2026-03-28", 2), addDays("2026-01-01", -1)]).toEqual([
    "2026-03-01",
    "2026-03-30",
    "2025-12-31",
  ]);
});

// The kind of fault: a traveller reads a time of the own zone as one of the place.
it("names the member's time zone where the device has another time, and only there", () => {
  setTimeZone("Asia/Kolkata");
  expect(zonedTime("2026-11-21T22:30:00Z")).toBe("4:00 AM GMT+5:30");
  setTimeZone("America/Los_Angeles");
  expect(zonedTime("2026-11-21T22:30:00Z")).toBe("2:30 PM PST");
  expect(zonedTime("2026-07-21T22:30:00Z")).toBe("3:30 PM PDT");
  setTimeZone(undefined);
  expect(zonedTime("2026-11-21T22:30:00Z")).toBe(shortTime("2026-11-21T22:30:00Z"));
  // Another name of the same time.
  setTimeZone(deviceZone() === "UTC" ? "Etc/UTC" : deviceZone());
  expect(zonedTime("2026-11-21T22:30:00Z")).toBe(shortTime("2026-11-21T22:30:00Z"));
  expect(zonedTime("none")).toBe("");
});
