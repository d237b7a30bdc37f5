import { create } from "zustand";

interface DamageState {
  /** The number of items that each list left out of its last response, by path. */
  lists: Record<string, number>;
  /** The number of items when the banner was dismissed. */
  seen: number;
}

/** Items missing from lists because they are damaged in the server's store. */
export const useDamage = create<DamageState>(() => ({ lists: {}, seen: 0 }));

/** Returns the number of missing items in all lists. */
export const countDamaged = ({ lists }: DamageState): number => Object.values(lists).reduce((sum, count) => sum + count, 0);

/** Records the damage that a response reports. */
export function noteDamage(path: string, answer: unknown): void {
  if (typeof answer !== "object" || answer === null || !("items" in answer)) return;
  const count = "damaged" in answer && typeof answer.damaged === "number" ? answer.damaged : 0;
  const { lists } = useDamage.getState();
  if ((lists[path] ?? 0) === count) return;
  useDamage.setState({ lists: { ...lists, [path]: count } });
}
