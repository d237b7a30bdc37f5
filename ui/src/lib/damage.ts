import { create } from "zustand";

interface DamageState {
  /** How many items each list left out of its last answer, by its path. */
  lists: Record<string, number>;
  /** How many were known when the note was put away. */
  seen: number;
}

/** What lists could not show because it is damaged in the server's store. */
export const useDamage = create<DamageState>(() => ({ lists: {}, seen: 0 }));

/** How many items are left out of the lists that were read. */
export const damaged = ({ lists }: DamageState): number => Object.values(lists).reduce((sum, count) => sum + count, 0);

/** Takes note of what an answer says of damage. */
export function noteDamage(path: string, answer: unknown): void {
  if (typeof answer !== "object" || answer === null || !("items" in answer)) return;
  const count = "damaged" in answer && typeof answer.damaged === "number" ? answer.damaged : 0;
  const { lists } = useDamage.getState();
  if ((lists[path] ?? 0) === count) return;
  useDamage.setState({ lists: { ...lists, [path]: count } });
}
