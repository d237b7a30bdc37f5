import { formatDate } from "./format";
import { language, locale } from "./locale";
import { region } from "./region";

type Part = "year" | "month" | "day";
type DateParts = Partial<Record<Part, number | undefined>>;

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
    .filter(Boolean)
    .join(region().dateFormat === "ymd" ? "-" : "/");

/** Returns `MM/DD/YYYY`, or the region's form, as the pattern for typing. */
export const shortDatePattern = () => join({ year: language() === "es" ? "AAAA" : "YYYY", month: "MM", day: "DD" });

/** Formats a `YYYY-MM-DD`, or a `--MM-DD`, in the region's short form. */
export function shortDate(value: string): string {
  const [day = "", month = "", year = ""] = value.split("-").reverse();
  return join({ year, month, day });
}

const written = /^(\d{1,4})[./\-\s]+(\d{1,4})(?:[./\-\s]+(\d{1,4}))?$/;

const dayFirst: Part[] = ["day", "month", "year"];

/** Reads a date in numbers, which may not exist: with dots the day is first, otherwise the order is the region's. */
function readNumbers(text: string): DateParts | undefined {
  const numbers = text.trim().match(written);
  if (!numbers) return undefined;
  const values = numbers.slice(1).filter((part) => part !== undefined);
  const isYearFirst = (values[0] ?? "").length === 4;
  const parts = (text.includes(".") ? dayFirst : order()).filter((part) => values.length === 3 || part !== "year");
  const names: Part[] = isYearFirst ? ["year", "month", "day"] : parts;
  const read: DateParts = Object.fromEntries(names.map((part, at) => [part, Number(values[at])]));
  const { day = 0, month = 0 } = read;
  // There are twelve months: 29/11 is the 29th of November also where the month is written first.
  return !isYearFirst && month > 12 && day <= 12 ? { ...read, day: month, month: day } : read;
}

/** A month's name or abbreviation. Shorter words are ignored: 12 de abril, April 12th. */
const word = /\p{L}{3,}/gu;

/** Returns the month, 1 to 12, whose name begins with a text in the interface's language; undefined if none or several do. */
function monthNamed(start: string): number | undefined {
  const months = Array.from({ length: 12 }, (_, at) => at + 1);
  const [month, ...others] = months.filter((month) => {
    // Beside a day, as some languages inflect the names.
    const [name] = formatDate(`--${String(month).padStart(2, "0")}-01`, { month: "long" }).match(word) ?? [];
    return name?.toLocaleLowerCase(locale()).startsWith(start.toLocaleLowerCase(locale()));
  });
  return others.length === 0 ? month : undefined;
}

/** Reads a date whose month is named, which may not exist: 12 April, Apr 12, 12 de abril; a year comes last. */
function readNamedMonth(text: string): DateParts | undefined {
  const [name, ...otherWords] = text.match(word) ?? [];
  const [day, year, ...otherNumbers] = (text.match(/\d{1,4}/g) ?? []).map(Number);
  const month = name && monthNamed(name);
  if (!month || !day || otherWords.length > 0 || otherNumbers.length > 0) return undefined;
  return { day, month, year };
}

const readNumbersOrName = (text: string) => readNumbers(text) ?? readNamedMonth(text);

/** Whether a text is written as a date, which may not exist: 31 April. */
export const isWrittenAsDate = (text: string, yearIsOptional = false) =>
  (yearIsOptional ? readNumbersOrName(text) : readNumbers(text)) !== undefined;

/** Returns a day as `YYYY-MM-DD`, with two-digit years completed; undefined if it does not exist. */
function existingDay(typedYear: number, { month = 0, day = 0 }: DateParts): string | undefined {
  let year = typedYear;
  if (year < 100) year += year < 70 ? 2000 : 1900;
  const date = new Date(year, month - 1, day);
  if (date.getFullYear() !== year || date.getMonth() !== month - 1 || date.getDate() !== day) return undefined;
  return `${String(year).padStart(4, "0")}-${String(month).padStart(2, "0")}-${String(day).padStart(2, "0")}`;
}

/** Parses a typed date in numbers, in the current year if it has none; undefined if it is not a date. */
export function parseShortDate(text: string, today: Date = new Date()): string | undefined {
  const parts = readNumbers(text);
  return parts && existingDay(parts.year ?? today.getFullYear(), parts);
}

/** Parses a typed date, which is `--MM-DD` if it has no year; the month may be named. Undefined if it is not a date. */
export function parseDateWithOptionalYear(text: string): string | undefined {
  const parts = readNumbersOrName(text);
  if (!parts) return undefined;
  if (parts.year !== undefined) return existingDay(parts.year, parts);
  // A leap year, for 29 February.
  return existingDay(2000, parts)?.replace("2000", "-");
}
