/** Round numbers from 0 up to at least `max`, about `count` of them: what an axis shows. Counts have no fractions. */
export function ticks(max: number, count = 4): number[] {
  const rough = Math.max(max, 1) / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = Math.max(1, ([1, 2, 2.5, 4, 5, 10].find((factor) => factor * power >= rough && factor * power >= 1) ?? 10) * power);
  const whole = Math.ceil(step);
  const result = [];
  for (let value = 0; value < max + whole; value += whole) result.push(value);
  return result.length > 1 ? result : [0, whole];
}

/** Every how many labels one fits, when each needs so many pixels. */
export function labelEvery(count: number, width: number, needed: number): number {
  return Math.max(1, Math.ceil((count * needed) / Math.max(width, 1)));
}

/** The Monday of a day's week, as `YYYY-MM-DD`. */
export function mondayOf(day: string): string {
  const date = new Date(`${day}T00:00:00Z`);
  date.setUTCDate(date.getUTCDate() - ((date.getUTCDay() + 6) % 7));
  return date.toISOString().slice(0, 10);
}

/** Days gathered into weeks that begin on Monday. */
export function byWeek<T extends { date: string; created: number; completed: number }>(days: T[]) {
  const weeks = new Map<string, { date: string; created: number; completed: number }>();
  for (const { date, created, completed } of days) {
    const monday = mondayOf(date);
    const week = weeks.get(monday) ?? { date: monday, created: 0, completed: 0 };
    week.created += created;
    week.completed += completed;
    weeks.set(monday, week);
  }
  return [...weeks.values()];
}
