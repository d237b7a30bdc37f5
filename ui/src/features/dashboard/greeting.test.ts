import { expect, test } from "vitest";
import { partOfDay } from "./greeting";

const parts = (language: string, hours: number[]) => hours.map((hour) => partOfDay(hour, language));

test("in English the morning starts at midnight", () => {
  expect(parts("en", [0, 3, 5, 11])).toEqual(["morning", "morning", "morning", "morning"]);
  expect(parts("en-GB", [12, 17])).toEqual(["afternoon", "afternoon"]);
  expect(parts("en", [18, 23])).toEqual(["evening", "evening"]);
});

test("in Spanish the night lasts until six, and the afternoon starts later and lasts longer", () => {
  expect(parts("es", [0, 3, 5])).toEqual(["evening", "evening", "evening"]);
  expect(parts("es", [6, 12])).toEqual(["morning", "morning"]);
  expect(parts("es-ES", [13, 19, 20])).toEqual(["afternoon", "afternoon", "evening"]);
});
