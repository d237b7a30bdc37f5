import { afterEach, expect, it, vi } from "vitest";
import { hideSplash } from "./splash";

afterEach(() => vi.useRealTimers());

it("fades out, is removed, and can be hidden twice", () => {
  vi.useFakeTimers();
  document.body.innerHTML = '<div id="splash"></div>';
  const splash = document.getElementById("splash");
  hideSplash();
  expect(splash).toHaveClass("leaving");
  vi.runAllTimers();
  expect(document.getElementById("splash")).toBeNull();
  expect(hideSplash).not.toThrow();
});
