/** Days until a moment, the last one begun counting whole; 0 when it is over or there is none. */
export function daysLeft(until: string | null | undefined, now = Date.now()): number {
  if (!until) return 0;
  return Math.max(0, Math.ceil((Date.parse(until) - now) / 86_400_000));
}
