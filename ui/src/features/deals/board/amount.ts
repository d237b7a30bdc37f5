import { digitsOf, type Money } from "@/features/fields/money";
import { formatNumber } from "@/lib/format";

const digits = new Map<string, number>();

/** Returns an amount without decimals that are zero: a board has hundreds, so that its formats are kept. */
export function amountText({ amount, currency }: Money, isRounded = false): string {
  const places = digits.get(currency) ?? digitsOf(currency);
  digits.set(currency, places);
  const value = amount / 10 ** places;
  const decimals = isRounded || Number.isInteger(value) ? 0 : places;
  try {
    return formatNumber(value, { style: "currency", currency, minimumFractionDigits: decimals, maximumFractionDigits: decimals });
  } catch {
    return `${value} ${currency}`;
  }
}
