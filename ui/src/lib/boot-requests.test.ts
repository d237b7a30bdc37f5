import { expect, it, vi } from "vitest";
import { startBootRequest, takeBootResponse } from "./boot-requests";

it("returns a response once, and none that is old or was never requested", async () => {
  vi.useFakeTimers();
  const call = vi.fn(async () => new Response("words"));
  void startBootRequest("./i18n/en.json", call);
  expect(takeBootResponse("./i18n/es.json")).toBeUndefined();
  expect(await (await takeBootResponse("./i18n/en.json"))?.text()).toBe("words");
  expect(takeBootResponse("./i18n/en.json")).toBeUndefined();
  void startBootRequest("./i18n/en.json", call);
  vi.advanceTimersByTime(10_000);
  expect(takeBootResponse("./i18n/en.json")).toBeUndefined();
  expect(call).toHaveBeenCalledTimes(2);
  vi.useRealTimers();
});

it("reports a failure to the caller that takes the response", async () => {
  void startBootRequest("/api/live", () => Promise.reject(new Error("offline"))).catch(() => undefined);
  await expect(takeBootResponse("/api/live")).rejects.toThrow("offline");
});
