import type { DealAmounts, DealForecast } from "@/api/schema";
import { addDays } from "@/lib/zone";

/** Deals of a forecast, and the filters by which the list shows exactly them. */
export interface ForecastCell {
  amounts: DealAmounts;
  filters: string[];
}

/** A line of a forecast. */
export interface ForecastRow {
  /** A month such as `2026-11`; the deals expected before the first one, or at no time. */
  key: string;
  open: ForecastCell;
  won?: ForecastCell;
}

const open = "outcome:is:open";

/** Returns the first day of a month. */
export const firstDay = (month: string) => `${month}-01`;

/** Returns the month that is some months later. */
export function addMonths(month: string, count: number): string {
  const [year = 0, number = 1] = month.split("-").map(Number);
  const at = year * 12 + number - 1 + count;
  return `${String(Math.floor(at / 12)).padStart(4, "0")}-${String((at % 12) + 1).padStart(2, "0")}`;
}

/** Returns the filters of a column by the days of a month. */
function inMonth(column: string, month: string): string[] {
  const last = addDays(firstDay(addMonths(month, 1)), -1);
  return [`${column}:gte:${firstDay(month)}`, `${column}:lte:${last}`];
}

/** Returns the lines of a forecast: what was expected earlier, the months, and what has no expected day. */
export function forecastRows({ months, overdue, undated }: DealForecast): ForecastRow[] {
  const first = months[0]?.month;
  return [
    ...(overdue.count > 0 && first
      ? [{ key: "overdue", open: { amounts: overdue, filters: [open, `expectedDay:lte:${addDays(firstDay(first), -1)}`] } }]
      : []),
    ...months.map(({ month, ...amounts }) => ({
      key: month,
      open: { amounts: amounts.open, filters: [open, ...inMonth("expectedDay", month)] },
      won: { amounts: amounts.won, filters: ["outcome:is:won", ...inMonth("closedAt", month)] },
    })),
    ...(undated.count > 0 ? [{ key: "undated", open: { amounts: undated, filters: [open, "expectedDay:empty"] } }] : []),
  ];
}

/** What the bars of a currency are compared with: the largest amount of a line. */
export function scaleOf(rows: ForecastRow[]): (currency: string) => number {
  const sums = rows.flatMap(({ open: { amounts }, won }) => [...amounts.sums, ...(won?.amounts.sums ?? [])]);
  return (currency) => Math.max(1, ...sums.filter((one) => one.currency === currency).map(({ sum }) => sum));
}

/** Returns the sums of some amounts, one for each currency. */
export function totalOf(amounts: DealAmounts[]): DealAmounts {
  const sums = new Map<string, DealAmounts["sums"][number]>();
  for (const { currency, sum, weighted } of amounts.flatMap((one) => one.sums)) {
    const before = sums.get(currency) ?? { currency, sum: 0, weighted: 0 };
    sums.set(currency, { currency, sum: before.sum + sum, weighted: before.weighted + weighted });
  }
  return { count: amounts.reduce((count, one) => count + one.count, 0), sums: [...sums.values()] };
}
