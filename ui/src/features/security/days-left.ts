/** Returns the days until a moment, rounded up; 0 if it is past or undefined. */
export function daysLeft(until: string | null | undefined, now = Date.now()): number {
  if (!until) return 0;
  return Math.max(0, Math.ceil((Date.parse(until) - now) / 86_400_000));
}
