import { act, renderHook } from "@testing-library/react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { useAutosave } from "@/records/use-autosave";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test("saves several changes in one call after a pause", async () => {
  const save = vi.fn().mockResolvedValue(undefined);
  const { result } = renderHook(() => useAutosave<{ title?: string; notes?: string }>(save));
  act(() => result.current.change({ title: "a" }));
  act(() => result.current.change({ title: "ab", notes: "n" }));
  expect(result.current.state).toBe("waiting");
  await act(() => vi.advanceTimersByTimeAsync(400));
  expect(save.mock.calls).toEqual([[{ title: "ab", notes: "n" }]]);
  expect(result.current.state).toBe("saved");
});

test("sends failed changes again with the next change", async () => {
  const save = vi.fn().mockRejectedValueOnce(new Error("no")).mockResolvedValue(undefined);
  const { result } = renderHook(() => useAutosave<{ title?: string; notes?: string }>(save));
  await act(async () => result.current.change({ title: "a" }, true));
  expect(result.current.state).toBe("failed");
  await act(async () => result.current.change({ notes: "n" }, true));
  expect(save.mock.calls[1]).toEqual([{ title: "a", notes: "n" }]);
  expect(result.current.state).toBe("saved");
});

test("sends one request at a time, and a change made meanwhile right after it", async () => {
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

test("saves a waiting change on unmount", async () => {
  const save = vi.fn().mockResolvedValue(undefined);
  const { result, unmount } = renderHook(() => useAutosave<{ title?: string }>(save));
  act(() => result.current.change({ title: "a" }));
  unmount();
  expect(save).toHaveBeenCalledWith({ title: "a" });
});
