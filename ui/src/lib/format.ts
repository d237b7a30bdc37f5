import i18n from "i18next";

/** The language words are shown in; dates and numbers follow it. */
export function locale(): string {
  return i18n.resolvedLanguage ?? i18n.language ?? "en";
}

const cache = new Map<string, Intl.DateTimeFormat>();

function formatter(options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = `${locale()} ${JSON.stringify(options)}`;
  let found = cache.get(key);
  if (!found) {
    found = new Intl.DateTimeFormat(locale() === "en" ? "en-US" : locale(), options);
    cache.set(key, found);
  }
  return found;
}

/** A `YYYY-MM-DD` is a day, never an instant: it is read in the person's own zone. */
export function toDate(value: string | Date): Date {
  if (value instanceof Date) return value;
  return /^\d{4}-\d{2}-\d{2}$/.test(value) ? new Date(`${value}T00:00:00`) : new Date(value);
}

export function formatDate(value: string | Date, options: Intl.DateTimeFormatOptions): string {
  const date = toDate(value);
  return Number.isNaN(date.getTime()) ? "" : formatter(options).format(date);
}

/** `MMM dd, h:mm a`, as the panels show it. */
export function panelTime(value: string): string {
  const date = toDate(value);
  if (Number.isNaN(date.getTime())) return "";
  const day = formatter({ month: "short", day: "2-digit" }).format(date);
  const time = formatter({ hour: "numeric", minute: "2-digit", hour12: true }).format(date);
  return `${day}, ${time}`;
}

/** Saturday, November 21, 2026 */
export const longDate = (value: string | Date) => formatDate(value, { weekday: "long", year: "numeric", month: "long", day: "numeric" });
/** Nov 21, 2026 */
export const mediumDate = (value: string | Date) => formatDate(value, { year: "numeric", month: "short", day: "numeric" });
/** 8:58 AM */
export const shortTime = (value: string | Date) => formatDate(value, { hour: "numeric", minute: "2-digit" });

export function formatNumber(value: number, options?: Intl.NumberFormatOptions): string {
  return new Intl.NumberFormat(locale(), options).format(value);
}

const steps: [Intl.RelativeTimeFormatUnit, number][] = [
  ["year", 31_536_000],
  ["month", 2_592_000],
  ["week", 604_800],
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
];

/** 8 minutes ago; yesterday. */
export function ago(value: string | Date, now: number = Date.now()): string {
  const seconds = Math.round((toDate(value).getTime() - now) / 1000);
  const relative = new Intl.RelativeTimeFormat(locale(), { numeric: "auto" });
  for (const [unit, size] of steps) {
    if (Math.abs(seconds) >= size) return relative.format(Math.trunc(seconds / size), unit);
  }
  return relative.format(0, "minute");
}

/** Today as `YYYY-MM-DD` in the person's own zone. */
export function isoDay(date: Date = new Date()): string {
  return `${date.getFullYear()}-${String(date.getMonth() + 1).padStart(2, "0")}-${String(date.getDate()).padStart(2, "0")}`;
}
