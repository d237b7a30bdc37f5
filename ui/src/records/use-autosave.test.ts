import { act, renderHook } from "@testing-library/react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { useAutosave } from "@/records/use-autosave";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test("changes are gathered and saved once, a moment after the last", async () => {
  const save = vi.fn().mockResolvedValue(undefined);
  const { result } = renderHook(() => useAutosave<{ title?: string; notes?: string }>(save));
  act(() => result.current.change({ title: "a" }));
  act(() => result.current.change({ title: "ab", notes: "n" }));
  expect(result.current.state).toBe("waiting");
  await act(() => vi.advanceTimersByTimeAsync(400));
  expect(save.mock.calls).toEqual([[{ title: "ab", notes: "n" }]]);
  expect(result.current.state).toBe("saved");
});

test("what failed goes along with the next change", async () => {
  const save = vi.fn().mockRejectedValueOnce(new Error("no")).mockResolvedValue(undefined);
  const { result } = renderHook(() => useAutosave<{ title?: string; notes?: string }>(save));
  await act(async () => result.current.change({ title: "a" }, true));
  expect(result.current.state).toBe("failed");
  await act(async () => result.current.change({ notes: "n" }, true));
  expect(save.mock.calls[1]).toEqual([{ title: "a", notes: "n" }]);
  expect(result.current.state).toBe("saved");
});

test("one request at a time; what comes meanwhile follows at once", async () => {
  let finish: () => void = () => undefined;
  const save = vi
    .fn()
    .mockImplementationOnce(() => new Promise<void>((done) => (finish = done)))
    .mockResolvedValue(undefined);
  const { result } = renderHook(() => useAutosave<{ title?: string }>(save));
  act(() => result.current.change({ title: "a" }, true));
  act(() => result.current.change({ title: "b" }, true));
  expect(save).toHaveBeenCalledTimes(1);
  await act(async () => finish());
  expect(save.mock.calls).toEqual([[{ title: "a" }], [{ title: "b" }]]);
});

test("leaving saves what waits", async () => {
  const save = vi.fn().mockResolvedValue(undefined);
  const { result, unmount } = renderHook(() => useAutosave<{ title?: string }>(save));
  act(() => result.current.change({ title: "a" }));
  unmount();
  expect(save).toHaveBeenCalledWith({ title: "a" });
});
