import { onlineManager } from "@tanstack/react-query";
import { expect, it, vi } from "vitest";
import { ApiError } from "./errors";
import { queryClient } from "./query";

it("retries temporary errors at most twice", () => {
  const retry = queryClient.getDefaultOptions().queries?.retry as (failures: number, error: Error) => boolean;
  const again = (status: number) => retry(0, new ApiError(status, { code: "any" }));
  expect([0, 500, 503, 429].map(again)).toEqual([true, true, true, true]);
  expect([400, 401, 403, 404, 422, 423].map(again)).toEqual([false, false, false, false, false, false]);
  expect([retry(1, new TypeError("offline")), retry(2, new TypeError("offline"))]).toEqual([true, false]);
});

it("reads a list again that may lack records", () => {
  const again = queryClient.getDefaultOptions().queries?.refetchInterval as (query: { state: { data: unknown } }) => number | false;
  const after = (data: unknown) => again({ state: { data } });
  expect(after({ items: [], total: 0, partial: true })).toBe(3_000);
  expect([after({ items: [], total: 0 }), after(undefined), after([])]).toEqual([false, false, false]);
});

// The kind of fault: a change that waits for a connection is lost with the tab, and nothing asks.
it("asks before the page is left while a change waits for the connection, and not otherwise", async () => {
  const asks = () => {
    const event = new Event("beforeunload", { cancelable: true });
    dispatchEvent(event);
    return event.defaultPrevented;
  };
  let sent = 0;
  const mutation = () => queryClient.getMutationCache().build(queryClient, { mutationFn: async () => (sent += 1) });
  expect(asks()).toBe(false);
  onlineManager.setOnline(false);
  const first = mutation().execute(undefined);
  const second = mutation().execute(undefined);
  await vi.waitFor(() => expect(asks()).toBe(true));
  expect(sent).toBe(0);
  onlineManager.setOnline(true);
  await queryClient.resumePausedMutations();
  await Promise.all([first, second]);
  await vi.waitFor(() => expect(asks()).toBe(false));
  expect(sent).toBe(2);
});
