import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { toast } from "./toast";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it("keeps the last action for two minutes after its toast is gone, and runs it once", () => {
  const run = vi.fn();
  const id = toast.success("Deleted", { label: "Undo", run });
  toast.dismiss(id);
  vi.advanceTimersByTime(100_000);
  const item = toast.undoable();
  expect(item?.id).toBe(id);
  if (item) toast.run(item);
  expect(run).toHaveBeenCalledOnce();
  expect(toast.undoable()).toBeUndefined();
  toast.dismiss(toast.success("Deleted again", { label: "Undo", run }));
  vi.advanceTimersByTime(121_000);
  expect(toast.undoable()).toBeUndefined();
});
