import { afterEach, beforeEach, expect, it, vi } from "vitest";

beforeEach(() => {
  vi.useFakeTimers();
  vi.resetModules();
  vi.stubGlobal("BroadcastChannel", undefined);
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

it("reports once that the member is idle, and at once that they are back", async () => {
  const { watchIdle } = await import("./idle");
  const told: boolean[] = [];
  const watch = watchIdle(300_000, (idle) => told.push(idle));
  vi.advanceTimersByTime(200_000);
  dispatchEvent(new KeyboardEvent("keydown", { key: "a" }));
  vi.advanceTimersByTime(200_000);
  expect([told, watch.now()]).toEqual([[], false]);
  vi.advanceTimersByTime(900_000);
  expect([told, watch.now()]).toEqual([[true], true]);
  dispatchEvent(new Event("pointermove"));
  expect(told).toEqual([true, false]);
  watch.stop();
  vi.advanceTimersByTime(900_000);
  expect(told).toEqual([true, false]);
});
