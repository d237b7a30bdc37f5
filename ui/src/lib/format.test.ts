import { afterEach, expect, it } from "vitest";
import { longDate, mediumDate, panelTime, shortTime } from "./format";
import { type Region, setRegion } from "./region";
import { setTimeZone } from "./zone";

const from = (region: Partial<Region>) => {
  setTimeZone("UTC");
  setRegion(region as Region);
};
afterEach(() => {
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
