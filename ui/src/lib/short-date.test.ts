import { afterEach, expect, it } from "vitest";
import { type Region, setRegion } from "./region";
import { isWrittenAsDate, parseShortDate, shortDate, shortDatePattern } from "./short-date";

const today = new Date(2026, 10, 21);
const from = (dateFormat: Region["dateFormat"]) => setRegion({ dateFormat } as Region);
afterEach(() => setRegion(undefined));

it.each([
  ["mdy", "MM/DD/YYYY", "11/21/2026"],
  ["dmy", "DD/MM/YYYY", "21/11/2026"],
  ["ymd", "YYYY-MM-DD", "2026-11-21"],
] as const)("formats short dates and names their pattern by region (%s)", (dateFormat, pattern, text) => {
  from(dateFormat);
  expect(shortDatePattern()).toBe(pattern);
  expect(shortDate("2026-11-21")).toBe(text);
});

it.each([
  ["11/21/2026", "mdy", "2026-11-21"],
  ["11-21-26", "mdy", "2026-11-21"],
  ["21.11.2026", "dmy", "2026-11-21"],
  ["21/11", "dmy", "2026-11-21"],
  ["11/21", "mdy", "2026-11-21"],
  ["11-21", "ymd", "2026-11-21"],
  ["2026-11-21", "dmy", "2026-11-21"],
  ["2/29/2028", "mdy", "2028-02-29"],
] as const)("reads %j in %s", (text, dateFormat, expected) => {
  from(dateFormat);
  expect(parseShortDate(text, today)).toBe(expected);
});

it.each(["13/41/2026", "2/29/2027", "tomorrow", "1/2/3/4", "", "0/0/2026"])("rejects %j as a date", (text) => {
  expect(parseShortDate(text, today)).toBeUndefined();
});

it("knows a date that is written as one but does not exist", () => {
  expect(["04/31/2026", "31.2.26", "13/41/2026"].map(isWrittenAsDate)).toEqual([true, true, true]);
  expect(["tomorrow", "", "1/2/3/4"].map(isWrittenAsDate)).toEqual([false, false, false]);
});
