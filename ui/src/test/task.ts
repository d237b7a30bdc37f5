import type { Task } from "@/api/schema";

/** Returns a task of the stand-in server. */
export const makeTask = (id: string, more: Partial<Task> = {}): Task => ({
  id,
  order: 1,
  version: 1,
  createdAt: "2026-11-01T10:00:00Z",
  updatedAt: "2026-11-01T10:00:00Z",
  type: "task",
  title: `Task ${id}`,
  completed: false,
  priority: 1,
  tags: [],
  subtasks: [],
  fields: {},
  ...more,
});
