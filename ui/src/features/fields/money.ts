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

/** Returns an amount in words, such as €19.99. */
export function moneyText({ amount, currency }: Money): string {
  const digits = digitsOf(currency);
  try {
    return new Intl.NumberFormat(i18n.language, { style: "currency", currency }).format(amount / 10 ** digits);
  } catch {
    return `${amount / 10 ** digits} ${currency}`;
  }
}

/** Returns an amount without its currency, as it is typed in the language. */
export function amountText({ amount, currency }: Money): string {
  const digits = digitsOf(currency);
  const format = { useGrouping: false, minimumFractionDigits: digits, maximumFractionDigits: digits };
  return new Intl.NumberFormat(i18n.language, format).format(amount / 10 ** digits);
}

const keptDigits = new Map<string, number>();

/** Returns an amount with some decimals. The digits of currencies are kept, as a board has hundreds of amounts. */
function formatAmount({ amount, currency }: Money, decimalsOf: (value: number, places: number) => number): string {
  const places = keptDigits.get(currency) ?? digitsOf(currency);
  keptDigits.set(currency, places);
  const value = amount / 10 ** places;
  const decimals = decimalsOf(value, places);
  try {
    return formatNumber(value, { style: "currency", currency, minimumFractionDigits: decimals, maximumFractionDigits: decimals });
  } catch {
    return `${value} ${currency}`;
  }
}

/** Returns an amount without decimals that are zero. */
export const shortMoneyText = (money: Money) => formatAmount(money, (value, places) => (Number.isInteger(value) ? 0 : places));

/** Returns an estimated amount in whole units. */
export const estimateText = (money: Money) => formatAmount(money, () => 0);
