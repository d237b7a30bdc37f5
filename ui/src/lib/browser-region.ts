import { callingCode } from "./countries";
import type { Region } from "./region";

/** The first day of a week, by its number in ISO 8601. */
const firstDays: Record<number, Region["firstDay"]> = { 1: "monday", 6: "saturday", 7: "sunday" };

type WeekOfLocale = Intl.Locale & { getWeekInfo?: () => { firstDay: number }; weekInfo?: { firstDay: number } };

/** Returns the order of the parts of a date in a language. */
function dateFormatOf(language: string): Region["dateFormat"] {
  const parts = new Intl.DateTimeFormat(language, {
    calendar: "gregory",
    year: "numeric",
    month: "numeric",
    day: "numeric",
  }).formatToParts();
  const order = parts.flatMap(({ type }) => (type === "day" || type === "month" || type === "year" ? type.charAt(0) : [])).join("");
  return order === "mdy" || order === "dmy" ? order : "ymd";
}

/** Returns what a language tag with a country, such as `en-AU`, says about its region; undefined without a country. */
export function regionOf(tag: string): Partial<Region> | undefined {
  const parsed: WeekOfLocale = new Intl.Locale(tag);
  if (!parsed.region || !callingCode(parsed.region)) return undefined;
  const { hourCycle } = new Intl.DateTimeFormat(tag, { hour: "numeric" }).resolvedOptions();
  const firstDay = firstDays[(parsed.getWeekInfo?.() ?? parsed.weekInfo)?.firstDay ?? 0];
  return {
    dateFormat: dateFormatOf(tag),
    timeFormat: hourCycle === "h12" || hourCycle === "h11" ? "12h" : "24h",
    ...(firstDay && { firstDay }),
    phoneCountry: parsed.region,
  };
}
