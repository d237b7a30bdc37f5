import i18n from "i18next";
import { formatNumber } from "@/lib/format";

/** An amount in the smallest unit of its currency. */
export interface Money {
  amount: number;
  currency: string;
}

export const isMoney = (value: unknown): value is Money =>
  typeof value === "object" &&
  value !== null &&
  typeof (value as Money).amount === "number" &&
  typeof (value as Money).currency === "string";

/** Digits after the decimal point of a currency. */
export function digitsOf(currency: string): number {
  try {
    return new Intl.NumberFormat("en", { style: "currency", currency }).resolvedOptions().maximumFractionDigits ?? 2;
  } catch {
    return 2;
  }
}

/** Returns an amount without its currency, as it is typed in the language. */
export function amountText({ amount, currency }: Money): string {
  const digits = digitsOf(currency);
  const format = { useGrouping: false, minimumFractionDigits: digits, maximumFractionDigits: digits };
  return new Intl.NumberFormat(i18n.language, format).format(amount / 10 ** digits);
}

const keptDigits = new Map<string, number>();

/** Returns the decimals of a currency. They are kept, as a board has hundreds of amounts. */
function placesOf(currency: string): number {
  const places = keptDigits.get(currency) ?? digitsOf(currency);
  keptDigits.set(currency, places);
  return places;
}

const hasFraction = ({ amount, currency }: Money) => amount % 10 ** placesOf(currency) !== 0;

/** Returns an amount with decimals if it is exact, or one in its currency `beside` it has a fraction. */
function formatAmount({ amount, currency }: Money, isExact: boolean, beside: readonly Money[]): string {
  const places = placesOf(currency);
  const decimals = isExact || beside.some((one) => one.currency === currency && hasFraction(one)) ? places : 0;
  const value = amount / 10 ** places;
  try {
    return formatNumber(value, { style: "currency", currency, minimumFractionDigits: decimals, maximumFractionDigits: decimals });
  } catch {
    return `${value} ${currency}`;
  }
}

/**
 * Returns an amount as it is shown everywhere: €20 or €19.99. All amounts in a column, which are `beside` it, have decimals
 * as soon as one of them has a fraction.
 */
export const moneyText = (money: Money, beside: readonly Money[] = []): string => formatAmount(money, hasFraction(money), beside);

/** Returns an estimated amount: in whole units, unless an amount `beside` it has a fraction. */
export const estimateText = (money: Money, beside: readonly Money[] = []): string => formatAmount(money, false, beside);
