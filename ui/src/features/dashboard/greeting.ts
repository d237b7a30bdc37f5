/**
 * Returns the greeting for an hour. In English, the morning starts at midnight: "Good evening" is wrong before dawn. In
 * Spanish, "buenas noches" is right until 6, and the afternoon starts later and lasts longer.
 */
export function partOfDay(hour: number, language: string): "morning" | "afternoon" | "evening" {
  const [dawn, noon, dusk] = language.startsWith("es") ? [6, 13, 20] : [0, 12, 18];
  if (hour < dawn) return "evening";
  if (hour < noon) return "morning";
  return hour < dusk ? "afternoon" : "evening";
}
