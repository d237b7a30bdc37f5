import { act, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, test, vi } from "vitest";
import { toast, useToasts } from "@/lib/toast";
import { renderApp } from "@/test/render";
import { Drawer } from "./drawer";
import { Toaster } from "./toaster";

beforeEach(() => useToasts.setState({ toasts: [] }));

test("Tab reaches the buttons of toasts from an open drawer, and leads back into it", async () => {
  const undo = vi.fn();
  renderApp(
    <>
      <button type="button">{"Behind"}</button>
      <Toaster />
      <Drawer label="Task" isOpen onOpenChange={() => undefined}>
        <button type="button">{"First"}</button>
        <button type="button">{"Last"}</button>
      </Drawer>
    </>,
  );
  const focused = () => document.activeElement?.getAttribute("aria-label") ?? document.activeElement?.textContent;
  const tab = async (times: number, shift = false) => {
    const order: unknown[] = [];
    for (let step = 0; step < times; step += 1) {
      await userEvent.tab({ shift });
      order.push(focused());
    }
    return order;
  };
  await waitFor(() => expect(screen.getByRole("dialog")).toHaveFocus());
  expect(await tab(3)).toEqual(["First", "Last", "First"]);
  act(() => void toast.success("Deleted", { label: "Undo it", run: undo }));
  expect(await tab(4)).toEqual(["Last", "Undo it", "Dismiss", "First"]);
  expect(await tab(2, true)).toEqual(["Dismiss", "Undo it"]);
  await userEvent.keyboard("{Enter}");
  expect(undo).toHaveBeenCalledOnce();
});

test("an offer stays for minutes, and Ctrl+Z takes back what was done before it", async () => {
  vi.useFakeTimers();
  try {
    const undo = vi.fn();
    const log = vi.fn();
    renderApp(<Toaster />);
    act(() => {
      toast.success("Deleted", { label: "Undo", run: undo });
      toast.offer("Call to Ana", { label: "Log this call", run: log });
    });
    expect(screen.getByRole("button", { name: "Log this call" })).not.toHaveAttribute("aria-keyshortcuts");
    act(() => void vi.advanceTimersByTime(60_000));
    expect(screen.queryByText("Deleted")).toBeNull();
    act(() => void dispatchEvent(new KeyboardEvent("keydown", { key: "z", ctrlKey: true })));
    expect([undo.mock.calls.length, log.mock.calls.length]).toEqual([1, 0]);
    act(() => screen.getByRole("button", { name: "Log this call" }).click());
    expect(log).toHaveBeenCalledOnce();
    act(() => void toast.offer("Call to Ana", { label: "Log this call", run: log }));
    act(() => void vi.advanceTimersByTime(11 * 60_000));
    expect(screen.queryByText("Call to Ana")).toBeNull();
  } finally {
    vi.useRealTimers();
  }
});
