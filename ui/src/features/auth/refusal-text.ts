import type { TFunction } from "i18next";
import { ApiError, errorText } from "@/api/errors";

/** Waits from this number of seconds on are stated in minutes. */
const minutesFromSeconds = 120;

/** Returns the message for a failure; a rate limit states how long to wait. */
export function refusalText(t: TFunction, error: unknown): string {
  if (!(error instanceof ApiError) || error.code !== "slow_down" || !error.retryAfter) return errorText(error);
  const { retryAfter: seconds } = error;
  return seconds < minutesFromSeconds
    ? t("ui.auth.slowDown", { count: seconds })
    : t("ui.auth.slowDownLong", { count: Math.ceil(seconds / 60) });
}
