import { expect, it } from "vitest";
import { moved, placeByKey } from "./order";

it.each([
  ["c", 0, "cabd"],
  ["a", 2, "bcad"],
  ["a", 9, "bcda"],
  ["d", -1, "dabc"],
  ["b", 1, "abcd"],
])("moves %s to %i", (id, to, order) => {
  expect(moved(["a", "b", "c", "d"], id, to).join("")).toBe(order);
});

it("arrow keys, Home and End move in the grid and stop at its ends", () => {
  const by = (key: string, at: number) => placeByKey(key, at, 5, 2);
  expect(["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "Home", "End"].map((key) => by(key, 2))).toEqual([1, 3, 0, 4, 0, 4]);
  expect([by("ArrowUp", 1), by("ArrowDown", 4), by("ArrowLeft", 0)]).toEqual([0, 4, 0]);
  expect(by("Enter", 2)).toBeUndefined();
});
