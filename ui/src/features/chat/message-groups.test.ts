import { expect, it } from "vitest";
import { type GroupedLine, groupMessages } from "./message-groups";

const said = (author: string, createdAt: string, event = false): GroupedLine => ({ author, createdAt, event });

it("separates days, and groups consecutive messages of one author", () => {
  const placed = groupMessages([
    said("ada", "2026-11-20T10:00:00"),
    said("ada", "2026-11-20T10:00:30"),
    said("ben", "2026-11-20T10:05:00"),
    said("ben", "2026-11-21T09:00:00"),
  ]);
  expect(placed.map(({ day }) => day)).toEqual(["2026-11-20", undefined, undefined, "2026-11-21"]);
  expect(placed.map(({ first }) => first)).toEqual([true, false, true, true]);
  expect(placed.map(({ last }) => last)).toEqual([false, true, true, true]);
  expect(placed.map(({ timed }) => timed)).toEqual([false, true, true, true]);
});

it("shows the time when the minute changes, and ends a group at an event", () => {
  const placed = groupMessages([
    said("ada", "2026-11-20T10:00:00"),
    said("ada", "2026-11-20T10:01:00"),
    said("ada", "2026-11-20T10:01:10", true),
    said("ada", "2026-11-20T10:01:20"),
  ]);
  expect(placed.map(({ timed }) => timed)).toEqual([true, true, false, true]);
  expect(placed.map(({ first }) => first)).toEqual([true, false, true, true]);
});
