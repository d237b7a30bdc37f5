let memberZone: string | undefined;

/** Sets the member's time zone; undefined means the browser's. */
export function setTimeZone(zone: string | undefined) {
  try {
    if (zone) new Intl.DateTimeFormat("en", { timeZone: zone });
    memberZone = zone;
  } catch {
    // This browser does not know the time zone.
    memberZone = undefined;
  }
}

/** Returns the time zone of this device. */
export const deviceZone = () => Intl.DateTimeFormat().resolvedOptions().timeZone;

export function timeZone(): string {
  return memberZone ?? deviceZone();
}

const formatters = new Map<string, Intl.DateTimeFormat>();

/** Returns the member's local date and time of an instant. */
function wallClock(instant: Date, zone: string) {
  let reader = formatters.get(zone);
  if (!reader) {
    const two = "2-digit";
    reader = new Intl.DateTimeFormat("en-CA", {
      timeZone: zone,
      hourCycle: "h23",
      year: "numeric",
      month: two,
      day: two,
      hour: two,
      minute: two,
      second: two,
    });
    formatters.set(zone, reader);
  }
  const parts: Record<string, string> = {};
  for (const { type, value } of reader.formatToParts(instant)) parts[type] = value;
  return parts;
}

/** Returns the day of an instant, `YYYY-MM-DD`, in the member's time zone. */
export function isoDay(instant: Date = new Date()): string {
  const { year = "", month, day } = wallClock(instant, timeZone());
  return `${year.padStart(4, "0")}-${month}-${day}`;
}

/** Returns the time of an instant, `HH:MM`, in the member's time zone. */
export function clock(instant: Date = new Date()): string {
  const { hour, minute } = wallClock(instant, timeZone());
  return `${hour}:${minute}`;
}

/** Returns the offset of the member's time zone from UTC at an instant, in milliseconds. */
function utcOffset(instant: number): number {
  const { year, month, day, hour, minute, second } = wallClock(new Date(instant), timeZone());
  return Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`) - Math.floor(instant / 1000) * 1000;
}

/**
 * Returns the instant of a day and time in the member's time zone. A time that a clock change skips is moved past it.
 */
export function instantOf(day: string, time: string): Date {
  const asUtc = Date.parse(`${day}T${time}:00Z`);
  if (Number.isNaN(asUtc)) return new Date(Number.NaN);
  const first = asUtc - utcOffset(asUtc);
  const second = asUtc - utcOffset(first);
  return new Date(utcOffset(second) === asUtc - second ? second : Math.max(first, second));
}

/** Adds days to a day; `count` may be negative. */
export function addDays(day: string, count: number): string {
  const date = new Date(`${day}T00:00:00Z`);
  date.setUTCDate(date.getUTCDate() + count);
  return date.toISOString().slice(0, 10);
}
