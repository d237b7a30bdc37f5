import { act, render, screen } from "@testing-library/react";
import { Suspense } from "react";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { lazyOnIdle } from "./lazy-on-idle";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

it("loads a component again once the connection is back", async () => {
  const onLine = vi.spyOn(navigator, "onLine", "get").mockReturnValue(false);
  const load = vi
    .fn()
    .mockRejectedValueOnce(new TypeError("Failed to fetch"))
    .mockResolvedValue({ default: () => <p>{"Here"}</p> });
  const Part = lazyOnIdle(load);
  render(
    <Suspense fallback={null}>
      <Part />
    </Suspense>,
  );
  await act(() => vi.advanceTimersByTimeAsync(60_000));
  expect(screen.queryByText("Here")).toBeNull();
  expect(load).toHaveBeenCalledTimes(1);
  onLine.mockReturnValue(true);
  window.dispatchEvent(new Event("online"));
  await act(() => vi.advanceTimersByTimeAsync(500));
  expect(screen.getByText("Here")).toBeVisible();
});

it("gives up on a missing component after four attempts", async () => {
  vi.spyOn(console, "error").mockReturnValue();
  const load = vi.fn().mockRejectedValue(new TypeError("Failed to fetch"));
  const Part = lazyOnIdle(load);
  expect(() =>
    render(
      <Suspense fallback={null}>
        <Part />
      </Suspense>,
    ),
  ).not.toThrow();
  await expect(act(() => vi.advanceTimersByTimeAsync(60_000))).rejects.toThrow("Failed to fetch");
  expect(load).toHaveBeenCalledTimes(4);
});
