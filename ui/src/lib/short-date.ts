import { language } from "./locale";
import { region } from "./region";

type Part = "year" | "month" | "day";

const orders: Record<string, Part[]> = {
  mdy: ["month", "day", "year"],
  dmy: ["day", "month", "year"],
  ymd: ["year", "month", "day"],
};

/** Returns the order in which the region writes day, month and year. */
const order = (): Part[] => orders[region().dateFormat] ?? [];
const join = (parts: Record<Part, string>) =>
  order()
    .map((part) => parts[part])
    .join(region().dateFormat === "ymd" ? "-" : "/");

/** Returns `MM/DD/YYYY`, or the region's form, as the pattern for typing. */
export const shortDatePattern = () => join({ year: language() === "es" ? "AAAA" : "YYYY", month: "MM", day: "DD" });

/** Formats a `YYYY-MM-DD` in the region's short form. */
export function shortDate(value: string): string {
  const [year = "", month = "", day = ""] = value.split("-");
  return join({ year, month, day });
}

const written = /^(\d{1,4})[./\-\s]+(\d{1,4})(?:[./\-\s]+(\d{1,4}))?$/;

/** Whether a text is written as a date, which may not exist: 31 April. */
export const isWrittenAsDate = (text: string) => written.test(text.trim());

/** Parses a typed date: the region's order, any separator, two-digit years; undefined if it is not a date. */
export function parseShortDate(text: string, today: Date = new Date()): string | undefined {
  const numbers = text.trim().match(written);
  if (!numbers) return undefined;
  const values = numbers.slice(1).filter((part) => part !== undefined);
  const found: Partial<Record<Part, number>> = {};
  const names: Part[] =
    (values[0] ?? "").length === 4 ? ["year", "month", "day"] : order().filter((part) => values.length === 3 || part !== "year");
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
