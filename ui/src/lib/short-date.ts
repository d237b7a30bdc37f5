type Part = "year" | "month" | "day";

function locale(language: string): string {
  return language === "en" ? "en-US" : language;
}

/** Returns the order in which a locale writes day, month and year. */
function order(language: string): Part[] {
  return new Intl.DateTimeFormat(locale(language), { year: "numeric", month: "2-digit", day: "2-digit" })
    .formatToParts(new Date(2001, 1, 3))
    .map(({ type }) => type)
    .filter((type): type is Part => type === "year" || type === "month" || type === "day");
}

/** Returns `MM/DD/YYYY`, or the locale's form, as the pattern for typing. */
export function shortDatePattern(language: string): string {
  const letters = { year: language.startsWith("es") ? "AAAA" : "YYYY", month: "MM", day: "DD" };
  return order(language)
    .map((part) => letters[part])
    .join("/");
}

/** Formats a `YYYY-MM-DD` in the locale's short form. */
export function shortDate(value: string, language: string): string {
  const [year = "", month = "", day = ""] = value.split("-");
  const parts = { year, month, day };
  return order(language)
    .map((part) => parts[part])
    .join("/");
}

/** Parses a typed date: the locale's order, any separator, two-digit years; undefined if it is not a date. */
export function parseShortDate(text: string, language: string, today: Date = new Date()): string | undefined {
  const numbers = text.trim().match(/^(\d{1,4})[./\-\s]+(\d{1,4})(?:[./\-\s]+(\d{1,4}))?$/);
  if (!numbers) return undefined;
  const values = numbers.slice(1).filter((part) => part !== undefined);
  const found: Partial<Record<Part, number>> = {};
  const names: Part[] =
    (values[0] ?? "").length === 4 ? ["year", "month", "day"] : order(language).filter((part) => values.length === 3 || part !== "year");
  names.forEach((part, at) => {
    found[part] = Number(values[at]);
  });
  let year = found.year ?? today.getFullYear();
  if (year < 100) year += year < 70 ? 2000 : 1900;
  const { month = 0, day = 0 } = found;
  const date = new Date(year, month - 1, day);
  if (date.getFullYear() !== year || date.getMonth() !== month - 1 || date.getDate() !== day) return undefined;
  return `${String(year).padStart(4, "0")}-${String(month).padStart(2, "0")}-${String(day).padStart(2, "0")}`;
}
