import i18n from "i18next";

/** The decimal separator of the language. */
export const decimalSeparator = (): string =>
  new Intl.NumberFormat(i18n.language).formatToParts(1.5).find(({ type }) => type === "decimal")?.value ?? ".";

/** Returns a number as it is typed in the language. */
export const numberText = (value: number): string =>
  new Intl.NumberFormat(i18n.language, { useGrouping: false, maximumFractionDigits: 20 }).format(value);

/** Reads a number as it is typed in the language, with or without grouping; undefined when it is none. */
export function parseNumber(text: string): number | undefined {
  const decimal = decimalSeparator();
  const grouping = decimal === "," ? /[.\s\u00a0\u202f]/g : /[,\s\u00a0\u202f]/g;
  const plain = text.trim().replace(grouping, "").replace(decimal, ".");
  return /^[-+]?(\d+\.?\d*|\.\d+)$/.test(plain) ? Number(plain) : undefined;
}
