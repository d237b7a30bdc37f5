import { expect, it, vi } from "vitest";
import { askEarly, takeEarly } from "./early";

it("gives an answer out once, and none that is old or was never asked for", async () => {
  vi.useFakeTimers();
  const call = vi.fn(async () => new Response("words"));
  void askEarly("./i18n/en.json", call);
  expect(takeEarly("./i18n/es.json")).toBeUndefined();
  expect(await (await takeEarly("./i18n/en.json"))?.text()).toBe("words");
  expect(takeEarly("./i18n/en.json")).toBeUndefined();
  void askEarly("./i18n/en.json", call);
  vi.advanceTimersByTime(10_000);
  expect(takeEarly("./i18n/en.json")).toBeUndefined();
  expect(call).toHaveBeenCalledTimes(2);
  vi.useRealTimers();
});

it("tells of a failure only whoever takes the answer", async () => {
  void askEarly("/api/live", () => Promise.reject(new Error("offline"))).catch(() => undefined);
  await expect(takeEarly("/api/live")).rejects.toThrow("offline");
});
