import { afterEach, beforeEach, expect, it, vi } from "vitest";

async function fresh() {
  vi.resetModules();
  return import("./activity");
}
const press = () => dispatchEvent(new KeyboardEvent("keydown", { key: "a" }));
const move = () => dispatchEvent(new Event("pointermove"));

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal("BroadcastChannel", undefined);
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

it("counts idle time from the last activity", async () => {
  const { idleFor, idleSeconds, watchActivity } = await fresh();
  const stop = watchActivity(() => false);
  vi.advanceTimersByTime(61_500);
  expect(idleFor()).toBe(61_500);
  expect(idleSeconds()).toBe("61");
  move();
  expect(idleFor()).toBe(0);
  stop();
  vi.advanceTimersByTime(1_000);
  press();
  expect(idleFor()).toBe(1_000);
});

it("counts the time in which the machine slept as idle", async () => {
  const { idleFor } = await fresh();
  vi.setSystemTime(Date.now() + 3_600_000);
  expect(idleFor()).toBe(3_600_000);
});

it("ignores activity after the limit", async () => {
  const { idleFor, watchActivity } = await fresh();
  const stop = watchActivity(() => idleFor() >= 60_000);
  vi.advanceTimersByTime(60_000);
  press();
  move();
  expect(idleFor()).toBe(60_000);
  stop();
});

it("during a warning ignores mouse movement but accepts a key", async () => {
  const { idleFor, waitForAnswer, watchActivity } = await fresh();
  const stop = watchActivity(() => false);
  vi.advanceTimersByTime(10_000);
  waitForAnswer(true);
  move();
  expect(idleFor()).toBe(10_000);
  press();
  expect(idleFor()).toBe(0);
  stop();
});

it("receives activity of other tabs, and sends its own at most every two seconds", async () => {
  const said: unknown[] = [];
  const channels: EventTarget[] = [];
  vi.stubGlobal(
    "BroadcastChannel",
    class extends EventTarget {
      constructor() {
        super();
        channels.push(this);
      }
      postMessage(message: unknown) {
        said.push(message);
      }
    },
  );
  const { idleFor, watchActivity } = await fresh();
  const stop = watchActivity(() => false);
  press();
  vi.advanceTimersByTime(500);
  press();
  expect(said).toHaveLength(1);
  vi.advanceTimersByTime(2_000);
  press();
  expect(said).toHaveLength(2);
  vi.advanceTimersByTime(30_000);
  channels[0]?.dispatchEvent(new MessageEvent("message", { data: "active" }));
  expect(idleFor()).toBe(0);
  stop();
});
