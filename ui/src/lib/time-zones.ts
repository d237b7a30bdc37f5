import { locale } from "./locale";

/** Returns the browser's time zones, sorted by their current UTC offset; always includes the current one. */
export function timeZones(current: string, now: Date = new Date()): { value: string; label: string }[] {
  const names = new Set([...Intl.supportedValuesOf("timeZone"), "UTC", ...(current ? [current] : [])]);
  return [...names]
    .map((value) => {
      const offset = offsetOf(value, now);
      return { value, offset, label: `${value.replaceAll("_", " ")} (${offsetText(offset)})` };
    })
    .sort((a, b) => a.offset - b.offset || a.value.localeCompare(b.value, locale()))
    .map(({ value, label }) => ({ value, label }));
}

/** Returns the minutes ahead of UTC. */
function offsetOf(zone: string, now: Date): number {
  try {
    const text = new Intl.DateTimeFormat("en-US", { timeZone: zone, timeZoneName: "longOffset" })
      .formatToParts(now)
      .find(({ type }) => type === "timeZoneName")?.value;
    const found = /GMT([+-])(\d{2}):(\d{2})/.exec(text ?? "");
    return found ? (found[1] === "-" ? -1 : 1) * (Number(found[2]) * 60 + Number(found[3])) : 0;
  } catch {
    return 0;
  }
}

function offsetText(minutes: number): string {
  const total = Math.abs(minutes);
  return `UTC${minutes < 0 ? "−" : "+"}${Math.floor(total / 60)}:${String(total % 60).padStart(2, "0")}`;
}
