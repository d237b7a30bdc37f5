import { weekOf } from "@/lib/week";

/** Returns about `count` round numbers from 0 to at least `max` for an axis. Counts have no fractions. */
export function ticks(max: number, count = 4): number[] {
  const rough = Math.max(max, 1) / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = Math.max(1, ([1, 2, 2.5, 4, 5, 10].find((factor) => factor * power >= rough && factor * power >= 1) ?? 10) * power);
  const whole = Math.ceil(step);
  const result = [];
  for (let value = 0; value < max + whole; value += whole) result.push(value);
  return result.length > 1 ? result : [0, whole];
}

/** Returns the interval at which labels fit, if each needs `needed` pixels. */
export function labelEvery(count: number, width: number, needed: number): number {
  return Math.max(1, Math.ceil((count * needed) / Math.max(width, 1)));
}

/** Sums days into weeks of the member's region. */
export function byWeek<T extends { date: string; created: number; completed: number }>(days: T[]) {
  const weeks = new Map<string, { date: string; created: number; completed: number }>();
  for (const { date, created, completed } of days) {
    const first = weekOf(date);
    const week = weeks.get(first) ?? { date: first, created: 0, completed: 0 };
    week.created += created;
    week.completed += completed;
    weeks.set(first, week);
  }
  return [...weeks.values()];
}
