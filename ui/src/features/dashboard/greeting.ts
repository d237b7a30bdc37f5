/** Returns the greeting for an hour: Spanish divides the day differently. */
export function partOfDay(hour: number, language: string): "morning" | "afternoon" | "evening" {
  const [noon, dusk] = language.startsWith("es") ? [13, 20] : [12, 18];
  if (hour >= 5 && hour < noon) return "morning";
  return hour >= noon && hour < dusk ? "afternoon" : "evening";
}
