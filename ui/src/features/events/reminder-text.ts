import type { TFunction } from "i18next";

/** Formats "10 minutes before". */
export function reminderText(t: TFunction, minutes: string): string {
  if (minutes === "") return t("ui.events.reminderNone");
  const count = Number(minutes);
  if (count === 0) return t("ui.events.reminderNow");
  if (count % 1440 === 0) return t("ui.events.reminderDays", { count: count / 1440 });
  if (count % 60 === 0) return t("ui.events.reminderHours", { count: count / 60 });
  return t("ui.events.reminderMinutes", { count });
}
