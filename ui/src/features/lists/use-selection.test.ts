import { act, renderHook } from "@testing-library/react";
import { expect, test } from "vitest";
import { useSelection } from "./use-selection";

const page = (...ids: string[]) => ids.map((id) => ({ id }));
const list = (...filter: string[]) => ({ kind: "customer" as const, request: { q: undefined, filter, sort: "name" } });

test("records are selected one by one, as a range and as a page, also across pages", () => {
  const { result, rerender } = renderHook(({ shown }) => useSelection(list(), page(...shown)), {
    initialProps: { shown: ["a", "b", "c", "d"] },
  });
  expect([result.current.isEmpty, result.current.page]).toEqual([true, "none"]);
  act(() => result.current.toggle("b", false));
  act(() => result.current.toggle("d", true));
  expect([result.current.ids, result.current.page]).toEqual([["b", "c", "d"], "some"]);
  act(() => result.current.toggle("c", false));
  expect(result.current.ids).toEqual(["b", "d"]);
  act(() => result.current.togglePage());
  expect(result.current.page).toBe("all");
  rerender({ shown: ["e", "f"] });
  expect([result.current.page, result.current.ids.length]).toEqual(["none", 4]);
  act(() => result.current.toggle("e", false));
  expect(result.current.ids).toEqual(["b", "d", "a", "c", "e"]);
  act(() => result.current.clear());
  expect(result.current.isEmpty).toBe(true);
});

test("all that match are selected until one is taken out or the list changes", () => {
  const { result, rerender } = renderHook(({ filter }) => useSelection(list(filter), page("a", "b")), {
    initialProps: { filter: "status:is:lead" },
  });
  act(() => result.current.selectAll());
  expect([result.current.isAll, result.current.has("z"), result.current.page]).toEqual([true, true, "all"]);
  // One record taken out of all leaves those of the page: the others were never shown.
  act(() => result.current.toggle("a", false));
  expect([result.current.isAll, result.current.ids]).toEqual([false, ["b"]]);
  act(() => result.current.selectAll());
  rerender({ filter: "status:is:active" });
  expect(result.current.isEmpty).toBe(true);
});
