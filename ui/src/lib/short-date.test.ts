import i18n from "i18next";
import { afterEach, beforeAll, expect, it } from "vitest";
import es from "../../../i18n/es.json";
import { type Region, setRegion } from "./region";
import { isWrittenAsDate, parseDateWithOptionalYear, parseShortDate, shortDate, shortDatePattern } from "./short-date";

const today = new Date(2026, 10, 21);
const from = (dateFormat: Region["dateFormat"]) => setRegion({ dateFormat } as Region);
beforeAll(() => void i18n.addResourceBundle("es", "translation", es));
afterEach(async () => {
  setRegion(undefined);
  await i18n.changeLanguage("en");
});

it.each([
  ["mdy", "MM/DD/YYYY", "11/21/2026", "11/21"],
  ["dmy", "DD/MM/YYYY", "21/11/2026", "21/11"],
  ["ymd", "YYYY-MM-DD", "2026-11-21", "11-21"],
] as const)("formats short dates and names their pattern by region (%s)", (dateFormat, pattern, text, yearless) => {
  from(dateFormat);
  expect(shortDatePattern()).toBe(pattern);
  expect(shortDate("2026-11-21")).toBe(text);
  expect(shortDate("--11-21")).toBe(yearless);
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

it.each(["13/41/2026", "2/29/2027", "tomorrow", "1/2/3/4", "", "0/0/2026", "12 April"])("rejects %j as a date", (text) => {
  expect(parseShortDate(text, today)).toBeUndefined();
});

it("knows a date that is written as one but does not exist", () => {
  expect(["04/31/2026", "31.2.26", "13/41/2026"].map((text) => isWrittenAsDate(text))).toEqual([true, true, true]);
  expect(["tomorrow", "", "1/2/3/4", "31 April"].map((text) => isWrittenAsDate(text))).toEqual([false, false, false, false]);
  expect(["31 April", "4/31", "tomorrow"].map((text) => isWrittenAsDate(text, true))).toEqual([true, true, false]);
});

it.each([
  ["12 April", "en", "mdy", "--04-12"],
  ["April 12", "en", "mdy", "--04-12"],
  ["12 apr.", "en", "dmy", "--04-12"],
  ["April 12th", "en", "mdy", "--04-12"],
  ["4/12", "en", "mdy", "--04-12"],
  ["04-12", "en", "ymd", "--04-12"],
  ["2/29", "en", "mdy", "--02-29"],
  ["12/4", "es", "dmy", "--04-12"],
  ["12 abr", "es", "dmy", "--04-12"],
  ["12 de abril", "es", "dmy", "--04-12"],
  ["3 SEPT", "es", "dmy", "--09-03"],
  ["April 12, 1990", "en", "mdy", "1990-04-12"],
  ["12 de abril de 1990", "es", "dmy", "1990-04-12"],
  ["4/12/90", "en", "mdy", "1990-04-12"],
  ["1990-04-12", "es", "dmy", "1990-04-12"],
] as const)("reads %j with an optional year (%s, %s)", async (text, language, dateFormat, expected) => {
  await i18n.changeLanguage(language);
  from(dateFormat);
  expect(parseDateWithOptionalYear(text)).toBe(expected);
});

it.each([
  "April",
  "12",
  "12 ju",
  "12 foo",
  "12 April May",
  "31 April",
  "February 30",
  "2/29/2027",
  "February 29, 2027",
  "1990/4",
  "April 12, 19900",
  "",
])("rejects %j with an optional year", (text) => {
  from("mdy");
  expect(parseDateWithOptionalYear(text)).toBeUndefined();
});

// The kind of fault: a date that is read in another order than the one it is written in.
it.each([
  ["1.12.2026", "mdy", "2026-12-01"],
  ["01.12.26", "mdy", "2026-12-01"],
  ["1.12.2026", "ymd", "2026-12-01"],
  ["1.12.", "dmy", undefined],
  ["1.12", "mdy", "2026-12-01"],
  ["2026.12.01", "mdy", "2026-12-01"],
  ["1/12/2026", "mdy", "2026-01-12"],
  ["1/12/2026", "dmy", "2026-12-01"],
  ["29/11/2026", "mdy", "2026-11-29"],
  ["29/11/2026", "dmy", "2026-11-29"],
  ["29-11-2026", "mdy", "2026-11-29"],
  ["11/29/2026", "dmy", "2026-11-29"],
  ["31/11/2026", "mdy", undefined],
  ["12.31.2026", "dmy", "2026-12-31"],
] as const)("reads %j in %s as %s", (text, dateFormat, expected) => {
  from(dateFormat);
  expect(parseShortDate(text, today)).toBe(expected);
});
