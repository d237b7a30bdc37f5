import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { toast, useToasts } from "./toast";
import { undo } from "./undo";

beforeEach(() => {
  vi.useFakeTimers();
  undo.clear();
});
afterEach(() => void vi.useRealTimers());

// What was done can be undone step by step, also when its toast is gone or replaced (F-U7): once, Ctrl+Z knew the last
// act only, and for two minutes.
it("undoes the last 20 acts of the tab, the newest first, each once", () => {
  const done: number[] = [];
  for (let act = 1; act <= 22; act += 1) toast.success(`Deleted ${act}`, { label: "Undo", run: () => done.push(act) }, "moves");
  vi.advanceTimersByTime(3_600_000);
  while (undo.runLast());
  expect(done).toEqual(Array.from({ length: 20 }, (_, index) => 22 - index));
});

it("an act that was undone by its button is not undone again, and neither offers nor errors are acts", () => {
  const run = vi.fn();
  toast.success("Deleted", { label: "Undo", run });
  toast.offer("Call to Ana", { label: "Log this call", run });
  toast.error("Not saved", { label: "Try again", run });
  const deleted = useToasts.getState().toasts.find(({ text }) => text === "Deleted");
  if (deleted) toast.run(deleted);
  expect(run).toHaveBeenCalledOnce();
  expect(undo.runLast()).toBe(false);
});

// The kind of fault: an act that is undone without a word.
it.each([
  ["names what is undone", () => Promise.resolve(), "“Ana” was restored.", ["“Ana” was restored."]],
  ["says that something is undone where it has no name", () => Promise.resolve({}), undefined, ["Undone."]],
  ["says nothing of what was not undone", () => Promise.resolve(false), "“Ana” was restored.", []],
  ["leaves a failure to its own error", () => Promise.reject(new Error("refused")), "“Ana” was restored.", []],
  ["leaves it to an act that tells itself", () => undefined, "“Ana” was restored.", []],
])("%s", async (_name, run, undone, expected) => {
  useToasts.setState({ toasts: [] });
  toast.success("Deleted", { label: "Undo", run, ...(undone && { undone }) });
  expect(undo.runLast()).toBe(true);
  await vi.advanceTimersByTimeAsync(0);
  expect(useToasts.getState().toasts.map(({ text }) => text)).toEqual(expected);
});

it("does not call an action undone that undoes nothing", async () => {
  useToasts.setState({ toasts: [] });
  toast.success("Imported", { label: "Show", run: () => Promise.resolve() });
  undo.runLast();
  await vi.advanceTimersByTimeAsync(0);
  expect(useToasts.getState().toasts).toEqual([]);
});
