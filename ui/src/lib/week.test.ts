import { afterEach, expect, it } from "vitest";
import { type Region, setRegion } from "./region";
import { weekOf } from "./week";

afterEach(() => setRegion(undefined));

it.each([
  ["monday", "2026-11-22", "2026-11-16"],
  ["monday", "2026-11-23", "2026-11-23"],
  ["monday", "2027-01-01", "2026-12-28"],
  ["sunday", "2026-11-22", "2026-11-22"],
  ["sunday", "2026-11-21", "2026-11-15"],
  ["saturday", "2026-11-27", "2026-11-21"],
] as const)("with %s as first day, the week of %s begins on %s", (firstDay, day, first) => {
  setRegion({ firstDay } as Region);
  expect(weekOf(day)).toBe(first);
});
