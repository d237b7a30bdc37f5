import { expect, test } from "vitest";
import { partOfDay } from "./greeting";

test("the greeting follows the hour", () => {
  expect([4, 5, 11, 12, 17, 18, 23].map((hour) => partOfDay(hour, "en"))).toEqual([
    "evening",
    "morning",
    "morning",
    "afternoon",
    "afternoon",
    "evening",
    "evening",
  ]);
});

test("in Spanish the afternoon begins later and lasts longer", () => {
  expect(partOfDay(12, "es")).toBe("morning");
  expect(partOfDay(19, "es")).toBe("afternoon");
  expect(partOfDay(20, "es-ES")).toBe("evening");
});
