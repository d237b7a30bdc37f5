import { expect, it } from "vitest";
import { regionOf } from "./browser-region";

it.each([
  ["en-AU", { dateFormat: "dmy", timeFormat: "12h", phoneCountry: "AU" }],
  ["en-US", { dateFormat: "mdy", timeFormat: "12h", phoneCountry: "US" }],
  ["de-AT", { dateFormat: "dmy", timeFormat: "24h", phoneCountry: "AT" }],
  ["sv-SE", { dateFormat: "ymd", timeFormat: "24h", phoneCountry: "SE" }],
] as const)("reads the region of %s", (tag, region) => {
  expect(regionOf(tag)).toMatchObject(region);
});

it("says nothing without a country", () => {
  expect(["en", "es-419", "en-ZZ"].map(regionOf)).toEqual([undefined, undefined, undefined]);
});
