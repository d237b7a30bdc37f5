import { locale } from "./locale";
import { dateLocale, hasTwelveHours } from "./region";
import { deviceZone, timeZone } from "./zone";

/** Caches formatters by locale and options, because creating one takes longer than formatting a screen with it. */
function cached<F, O>(make: (locale: string, options?: O) => F, localeOf = locale): (options?: O) => F {
  const cache = new Map<string, F>();
  return (options) => {
    const key = `${localeOf()} ${JSON.stringify(options)}`;
    let found = cache.get(key);
    if (!found) {
      found = make(localeOf(), options);
      cache.set(key, found);
    }
    return found;
  };
}

const dates = cached((locale, options?: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat(locale, options), dateLocale);
const numbers = cached((language, options?: Intl.NumberFormatOptions) => new Intl.NumberFormat(language, options));
const lists = cached((language) => new Intl.ListFormat(language));
const relatives = cached((language) => new Intl.RelativeTimeFormat(language, { numeric: "auto" }));

/** Without `h23`, some browsers write midnight as 24:00. */
const hours = (): Intl.DateTimeFormatOptions => (hasTwelveHours() ? { hour12: true } : { hourCycle: "h23" });

const isDay = (value: string | Date) => typeof value === "string" && /^\d{4}-\d{2}-\d{2}$/.test(value);

/** Whether a day lacks its year: `--MM-DD`. */
export const isYearless = (day: string) => /^--\d{2}-\d{2}$/.test(day);

/** Returns the options that show only day and month, the month as long or short as with the year. */
const withoutYear = ({ month, dateStyle }: Intl.DateTimeFormatOptions): Intl.DateTimeFormatOptions => ({
  day: "numeric",
  month: month ?? (dateStyle === "medium" ? "short" : "long"),
});

/**
 * Formats a date. A `YYYY-MM-DD` is a day, not an instant, and is the same everywhere; instants use the member's time
 * zone. Of a `--MM-DD`, day and month are shown: April 12.
 */
export function formatDate(value: string | Date, options: Intl.DateTimeFormatOptions): string {
  // Any leap year will do: it has 29 February.
  if (typeof value === "string" && isYearless(value)) return formatDate(`2000${value.slice(1)}`, withoutYear(options));
  const date = new Date(value);
  if (Number.isNaN(date.getTime())) return "";
  return dates({ timeZone: isDay(value) ? "UTC" : timeZone(), ...hours(), ...options }).format(date);
}

/** Formats `MMM dd, h:mm a`, as the panels show it. */
export function panelTime(value: string): string {
  const day = formatDate(value, { month: "short", day: "2-digit" });
  return day && `${day}, ${formatDate(value, { hour: "numeric", minute: "2-digit", hour12: true })}`;
}

/** Saturday, November 21, 2026 */
export const longDate = (value: string | Date) => formatDate(value, { weekday: "long", year: "numeric", month: "long", day: "numeric" });
/** Nov 21, 2026 */
export const mediumDate = (value: string | Date) => formatDate(value, { year: "numeric", month: "short", day: "numeric" });
/** 8:58 AM, or 8:58 */
export const shortTime = (value: string | Date) => formatDate(value, { hour: "numeric", minute: "2-digit" });

/** Returns the short name of the member's time zone, CET, at an instant where this device has another time; otherwise undefined. */
export function zoneName(value: string | Date): string | undefined {
  const date = new Date(value);
  if (Number.isNaN(date.getTime())) return undefined;
  const nameOf = (zone: string, timeZoneName: "short" | "longOffset") =>
    dates({ timeZone: zone, timeZoneName })
      .formatToParts(date)
      .find(({ type }) => type === "timeZoneName")?.value;
  const isSame = nameOf(timeZone(), "longOffset") === nameOf(deviceZone(), "longOffset");
  return isSame ? undefined : nameOf(timeZone(), "short");
}

/** 8:58 AM, and the time zone where this device has another one: 8:58 AM CET. */
export const zonedTime = (value: string | Date) => [shortTime(value), zoneName(value)].filter(Boolean).join(" ");

export function formatNumber(value: number, options?: Intl.NumberFormatOptions): string {
  return numbers(options).format(value);
}

/** A number with all its decimals. */
export const plainNumber = (value: number) => formatNumber(value, { maximumFractionDigits: 20 });

/** "Ana, Ben and Carla" */
export const listOf = (words: string[]) => lists().format(words);

const steps: [Intl.RelativeTimeFormatUnit, number][] = [
  ["year", 31_536_000],
  ["month", 2_592_000],
  ["week", 604_800],
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
];

/** Formats a relative time: 8 minutes ago; yesterday. */
export function ago(value: string | Date, now: number = Date.now()): string {
  const seconds = Math.round((new Date(value).getTime() - now) / 1000);
  const relative = relatives();
  for (const [unit, size] of steps) {
    if (Math.abs(seconds) >= size) return relative.format(Math.trunc(seconds / size), unit);
  }
  return relative.format(0, "second");
}

/** A day counted from today: tomorrow; in 7 days. */
export const relativeDay = (days: number) => relatives().format(days, "day");

/** Returns the limit of a file's size in the unit in which limits are set. */
export const sizeLimit = (bytes: number) => (bytes < 1 << 20 ? `${Math.floor(bytes / 1024)} kB` : `${Math.floor(bytes / (1 << 20))} MB`);
