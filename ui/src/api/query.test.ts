import { expect, it } from "vitest";
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
