import { afterEach, expect, test } from "vitest";
import { hasDecimalCommas, type Region, setRegion } from "./region";

afterEach(() => setRegion(undefined));

test("decimals stand behind a comma or a point as in the member's country, whatever the language", () => {
  expect(hasDecimalCommas()).toBe(false);
  for (const [phoneCountry, expected] of [
    ["ES", true],
    ["AR", true],
    ["DE", true],
    ["US", false],
    ["MX", false],
    ["GB", false],
  ] as const) {
    setRegion({ phoneCountry } as Region);
    expect([phoneCountry, hasDecimalCommas()]).toEqual([phoneCountry, expected]);
  }
});
