import { expect, it } from "vitest";
import { parseShortDate, shortDate, shortDatePattern } from "./short-date";

const today = new Date(2026, 10, 21);

it("formats short dates and names their pattern by locale", () => {
  expect(shortDatePattern("en")).toBe("MM/DD/YYYY");
  expect(shortDatePattern("es")).toBe("DD/MM/AAAA");
  expect(shortDate("2026-11-21", "en")).toBe("11/21/2026");
  expect(shortDate("2026-11-21", "es")).toBe("21/11/2026");
});

it.each([
  ["11/21/2026", "en", "2026-11-21"],
  ["11-21-26", "en", "2026-11-21"],
  ["21.11.2026", "es", "2026-11-21"],
  ["21/11", "es", "2026-11-21"],
  ["11/21", "en", "2026-11-21"],
  ["2026-11-21", "es", "2026-11-21"],
  ["2/29/2028", "en", "2028-02-29"],
])("reads %j in %s", (text, language, expected) => {
  expect(parseShortDate(text, language, today)).toBe(expected);
});

it.each(["13/41/2026", "2/29/2027", "tomorrow", "1/2/3/4", "", "0/0/2026"])("rejects %j as a date", (text) => {
  expect(parseShortDate(text, "en", today)).toBeUndefined();
});
