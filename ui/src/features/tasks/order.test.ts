import { expect, test } from "vitest";
import type { Task } from "@/api/schema";
import { firstOf, grouped, sectionOf } from "./order";

const make = (id: string, order: number, type: Task["type"] = "task"): Task => ({
  id,
  order,
  type,
  version: 1,
  createdAt: "",
  updatedAt: "",
  title: id,
  completed: false,
  priority: 1,
  tags: [],
  subtasks: [],
  fields: {},
});
const week = make("week", 2, "section");
const later = make("later", 5, "section");
const list = [make("a", 1), week, make("b", 3), make("c", 4), later];

test("groups tasks by section, and keeps empty sections", () => {
  expect(grouped(list).map(({ section, tasks }) => [section?.id, tasks.map((task) => task.id)])).toEqual([
    [undefined, ["a"]],
    ["week", ["b", "c"]],
    ["later", []],
  ]);
});

test("finds the order that puts a task first in the list or in a section", () => {
  expect(firstOf(undefined, list)).toBe(0);
  expect(firstOf(week, list)).toBe(2.5);
  expect(firstOf(later, list)).toBe(6);
  expect(firstOf(undefined, [])).toBe(-1);
});

test("a task belongs to the last section before it", () => {
  expect(sectionOf(make("x", 4.5), [later, week])?.id).toBe("week");
  expect(sectionOf(make("x", 1), [week, later])).toBeUndefined();
});
