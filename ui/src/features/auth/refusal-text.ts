import type { TFunction } from "i18next";
import { ApiError, errorText } from "@/api/errors";

/** Seconds from which on a wait is told in minutes. */
const long = 120;

/** What to say of a failure; whoever was too quick is told for how long to wait. */
export function refusalText(t: TFunction, error: unknown): string {
  if (!(error instanceof ApiError) || error.code !== "slow_down" || !error.retryAfter) return errorText(error);
  const { retryAfter: seconds } = error;
  return seconds < long ? t("ui.auth.slowDown", { count: seconds }) : t("ui.auth.slowDownLong", { count: Math.ceil(seconds / 60) });
}
