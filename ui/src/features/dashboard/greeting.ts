/**
 * Returns the greeting for an hour. In English, the morning begins at midnight: "Good evening" before dawn would be wrong. In
 * Spanish, one says "buenas noches" until 6, and the afternoon begins later and lasts longer.
 */
export function partOfDay(hour: number, language: string): "morning" | "afternoon" | "evening" {
  const [dawn, noon, dusk] = language.startsWith("es") ? [6, 13, 20] : [0, 12, 18];
  if (hour < dawn) return "evening";
  if (hour < noon) return "morning";
  return hour < dusk ? "afternoon" : "evening";
}
