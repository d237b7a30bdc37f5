import { region } from "./region";
import { addDays } from "./zone";

/** The number of each first day as `Date.getUTCDay` counts. */
const numbers = { sunday: 0, monday: 1, saturday: 6 };

/** The number of the first day of weeks in the member's region: 0 for Sunday, 1 for Monday. */
export const firstWeekday = (): number => numbers[region().firstDay];

/** Returns the first day of a day's week in the member's region, both `YYYY-MM-DD`. */
export function weekOf(day: string): string {
  const weekday = new Date(`${day}T00:00:00Z`).getUTCDay();
  return addDays(day, -((weekday - firstWeekday() + 7) % 7));
}
