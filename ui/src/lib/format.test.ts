import i18n from "i18next";
import { afterEach, beforeAll, expect, it } from "vitest";
import es from "../../../i18n/es.json";
import { formatDate, longDate, mediumDate, panelTime, shortTime } from "./format";
import { type Region, setRegion } from "./region";
import { setTimeZone } from "./zone";

const from = (region: Partial<Region>) => {
  setTimeZone("UTC");
  setRegion(region as Region);
};
beforeAll(() => void i18n.addResourceBundle("es", "translation", es));
afterEach(async () => {
  await i18n.changeLanguage("en");
  setRegion(undefined);
  setTimeZone(undefined);
});
/** Some versions of the data have a narrow space before AM. */
const plain = (text: string) => text.replace(/\u202f/g, " ");

it("dates and times are those of the region, whatever the language", () => {
  from({ dateFormat: "mdy", timeFormat: "12h" });
  expect(plain(shortTime("2026-11-26T00:05:00Z"))).toBe("12:05 AM");
  expect([mediumDate("2026-11-26"), longDate("2026-11-26")]).toEqual(["Nov 26, 2026", "Thursday, November 26, 2026"]);
  from({ dateFormat: "dmy", timeFormat: "24h" });
  expect(shortTime("2026-11-26T00:05:00Z")).toBe("0:05");
  expect(mediumDate("2026-11-26")).toBe("26 Nov 2026");
  expect(longDate("2026-11-26")).toMatch(/^Thursday,? 26 November 2026$/);
});

it("the times of panels are as the specification has them", () => {
  from({ dateFormat: "mdy", timeFormat: "24h" });
  expect(plain(panelTime("2026-11-26T14:05:00Z"))).toBe("Nov 26, 2:05 PM");
});

it.each([
  ["en", "mdy", "April 12", "Apr 12"],
  ["en", "dmy", "12 April", "12 Apr"],
  ["es", "dmy", "12 de abril", "12 abr"],
] as const)("shows a day without a year as day and month (%s, %s)", async (language, dateFormat, long, short) => {
  await i18n.changeLanguage(language);
  from({ dateFormat });
  const day = "--04-12";
  expect([longDate(day), formatDate(day, { dateStyle: "long" })]).toEqual([long, long]);
  expect([mediumDate(day), formatDate(day, { dateStyle: "medium" })]).toEqual([short, short]);
});

it("shows a day without a year in every time zone as it is, 29 February too, and nothing of a day that does not exist", () => {
  from({ dateFormat: "mdy" });
  setTimeZone("Pacific/Honolulu");
  expect(["--02-29", "--01-01", "--12-31", "--13-01"].map(mediumDate)).toEqual(["Feb 29", "Jan 1", "Dec 31", ""]);
});
