import { afterEach, expect, it, vi } from "vitest";
import { loading, useLoading } from "./loading";

afterEach(() => {
  loading.setMode("automatic");
  loading.hide();
});

it("shows while any request is in flight, counted per URL", () => {
  loading.setStatus(true, "/a");
  loading.setStatus(true, "/b");
  loading.setStatus(true, "/b");
  loading.setStatus(false, "/a");
  expect(useLoading.getState().visible).toBe(true);
  loading.setStatus(false, "/b");
  expect(useLoading.getState().visible).toBe(true);
  loading.setStatus(false, "/b");
  expect(useLoading.getState().visible).toBe(false);
});

it("in manual mode follows only show and hide", () => {
  loading.setMode("manual");
  loading.setStatus(true, "/a");
  expect(useLoading.getState().visible).toBe(false);
  loading.show();
  expect(useLoading.getState().visible).toBe(true);
  loading.hide();
  expect(useLoading.getState().visible).toBe(false);
});

it("accepts a progress from 0 to 100 and rejects others", () => {
  const said = vi.spyOn(console, "error").mockImplementation(() => undefined);
  for (const wrong of [-1, 101, Number.NaN]) loading.setProgress(wrong);
  expect(said.mock.calls).toEqual(Array(3).fill(["Progress value must be between 0 and 100!"]));
  expect(useLoading.getState().progress).toBeUndefined();
  loading.setProgress(0);
  loading.setProgress(100);
  expect(useLoading.getState().progress).toBe(100);
});

it("logs an error for a status without a URL", () => {
  const said = vi.spyOn(console, "error").mockImplementation(() => undefined);
  loading.setStatus(true, "");
  expect(said).toHaveBeenCalledWith("The request URL must be provided!");
  expect(useLoading.getState().visible).toBe(false);
});
