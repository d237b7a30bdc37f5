/** Which greeting fits the hour: people part the day a little differently in Spanish. */
export function partOfDay(hour: number, language: string): "morning" | "afternoon" | "evening" {
  const [noon, dusk] = language.startsWith("es") ? [13, 20] : [12, 18];
  if (hour >= 5 && hour < noon) return "morning";
  return hour >= noon && hour < dusk ? "afternoon" : "evening";
}
