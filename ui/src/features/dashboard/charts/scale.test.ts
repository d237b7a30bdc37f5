import { afterEach, expect, test } from "vitest";
import { type Region, setRegion } from "@/lib/region";
import { byWeek, labelEvery, ticks } from "./scale";

afterEach(() => setRegion(undefined));

test("axis ticks are whole numbers from zero to at least the maximum", () => {
  expect(ticks(0)).toEqual([0, 1]);
  expect(ticks(3)).toEqual([0, 1, 2, 3]);
  expect(ticks(13)).toEqual([0, 4, 8, 12, 16]);
  expect(ticks(12_480)).toEqual([0, 4000, 8000, 12_000, 16_000]);
  for (let max = 1; max < 2000; max += 7) {
    const steps = ticks(max);
    expect(steps.at(-1)).toBeGreaterThanOrEqual(max);
    expect(steps.every(Number.isInteger)).toBe(true);
    expect(steps.length).toBeLessThanOrEqual(6);
  }
});

test("labels are left out when there is no room for all", () => {
  expect(labelEvery(14, 600, 30)).toBe(1);
  expect(labelEvery(14, 200, 30)).toBe(3);
});

test("days are added up by the weeks of the region", () => {
  setRegion({ firstDay: "monday" } as Region);
  expect(
    byWeek([
      { date: "2026-11-15", created: 1, completed: 2 },
      { date: "2026-11-16", created: 3, completed: 0 },
      { date: "2026-11-22", created: 4, completed: 5 },
    ]),
  ).toEqual([
    { date: "2026-11-09", created: 1, completed: 2 },
    { date: "2026-11-16", created: 7, completed: 5 },
  ]);
});
