import type { Task } from "@/api/schema";

export interface Group {
  /** Undefined for tasks before the first section. */
  section: Task | undefined;
  tasks: Task[];
}

/** Splits an ordered list at its sections. */
export function grouped(list: Task[]): Group[] {
  const groups: Group[] = [{ section: undefined, tasks: [] }];
  for (const task of list) {
    if (task.type === "section") groups.push({ section: task, tasks: [] });
    else groups.at(-1)?.tasks.push(task);
  }
  return groups.filter(({ section, tasks }) => section || tasks.length > 0);
}

/** Returns the order value that makes a task the first of a section. */
export function firstOf(section: Task | undefined, list: Pick<Task, "order">[]): number {
  const sorted = [...list].sort((a, b) => a.order - b.order);
  if (!section) return (sorted[0]?.order ?? 0) - 1;
  const next = sorted.find((task) => task.order > section.order);
  return next ? (section.order + next.order) / 2 : section.order + 1;
}

/** Returns the section of a task: the last one before it. */
export function sectionOf(task: Task, sections: Task[]): Task | undefined {
  return sections.filter((section) => section.order < task.order).sort((a, b) => b.order - a.order)[0];
}
