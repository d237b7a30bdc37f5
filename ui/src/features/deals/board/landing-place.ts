import type { Deal } from "@/api/schema";

/** The value of a column that lists are sorted by; undefined if the deal has none. */
function sortValue(deal: Deal, column: string): string | number | undefined {
  // The server sorts amounts of money by their currencies first; within one, by their values.
  if (column === "value") return deal.value?.amount;
  const value: unknown = column.startsWith("fields.") ? deal.fields[column.slice(7)] : (deal as unknown as Record<string, unknown>)[column];
  return typeof value === "string" || typeof value === "number" ? value : undefined;
}

function compare(a: Deal, b: Deal, column: string, isReverse: boolean): number {
  const [of, and] = column === "value" ? [a.value?.currency, b.value?.currency] : [];
  const [left, right] = of === and ? [sortValue(a, column), sortValue(b, column)] : [of, and];
  if (left === undefined || right === undefined) return Number(left === undefined) - Number(right === undefined);
  const order = typeof left === "number" && typeof right === "number" ? left - right : String(left).localeCompare(String(right));
  return isReverse ? -order : order;
}

/** Returns the place of a deal among sorted ones, as far as its values tell; the server's own order may differ a little. */
export function landingPlace(deal: Deal, cards: Deal[], sort: string | undefined = "expectedDay"): number {
  const isReverse = sort.startsWith("-");
  const column = isReverse ? sort.slice(1) : sort;
  const at = cards.findIndex((other) => other.id !== deal.id && compare(deal, other, column, isReverse) < 0);
  return at === -1 ? cards.length : at;
}
