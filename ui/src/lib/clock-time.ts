import { formatDate } from "./format";

/** Parses a typed time of day: `9`, `930`, `9:30`, `21.30`, `9:30 pm`. Returns `HH:MM`, or undefined. */
export function parseTime(text: string): string | undefined {
  const found = /^(\d{1,2})(?:\s*[:.h]?\s*(\d{2}))?\s*h?\s*(?:([ap])\.?\s*m?\.?)?$/i.exec(text.trim());
  if (!found) return undefined;
  const half = found[3]?.toLowerCase();
  let hour = Number(found[1]);
  const minute = Number(found[2] ?? 0);
  if (half && (hour < 1 || hour > 12)) return undefined;
  if (half) hour = (hour % 12) + (half === "p" ? 12 : 0);
  if (hour > 23 || minute > 59) return undefined;
  return `${String(hour).padStart(2, "0")}:${String(minute).padStart(2, "0")}`;
}

/** Formats `HH:MM` for the region: 9:30 AM, 21:30. */
export function timeText(value: string): string {
  return formatDate(`1970-01-01T${value}:00Z`, { hour: "numeric", minute: "2-digit", timeZone: "UTC" });
}

/** Adds minutes to a time of day. */
export function laterBy(value: string, minutes: number): string {
  const [hour = 0, minute = 0] = value.split(":").map(Number);
  const at = (((hour * 60 + minute + minutes) % 1440) + 1440) % 1440;
  return `${String(Math.floor(at / 60)).padStart(2, "0")}:${String(at % 60).padStart(2, "0")}`;
}
