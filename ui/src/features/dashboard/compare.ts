import type { TFunction } from "i18next";
import { formatNumber } from "@/lib/format";
import type { Comparison } from "./stat-card";

type Period = "lastWeek" | "lastWeekSoFar";
type Wish = "more" | "fewer" | "none";

function direction(now: number, before: number): Comparison["direction"] {
  return now > before ? "up" : now < before ? "down" : "same";
}

function verdict(way: Comparison["direction"], wish: Wish): Comparison["verdict"] {
  if (way === "same" || wish === "none") return "neutral";
  return (way === "up") === (wish === "more") ? "good" : "bad";
}

/** Formats "2 fewer than last week". */
export function inNumbers(t: TFunction, now: number, before: number, period: Period, wish: Wish): Comparison {
  const way = direction(now, before);
  if (way === "same")
    return { change: t("ui.dashboard.same"), against: t(`ui.dashboard.as.${period}`), direction: way, verdict: "neutral" };
  const count = Math.abs(now - before);
  return {
    change: t(way === "up" ? "ui.dashboard.more" : "ui.dashboard.fewer", { count }),
    against: t(`ui.dashboard.than.${period}`),
    direction: way,
    verdict: verdict(way, wish),
  };
}

/** Formats "18% more than last week"; uses numbers if the earlier value is 0. */
export function inPercent(t: TFunction, now: number, before: number, period: Period, wish: Wish): Comparison {
  const way = direction(now, before);
  if (before === 0 || way === "same") return inNumbers(t, now, before, period, wish);
  const share = formatNumber(Math.abs(now - before) / before, { style: "percent", maximumFractionDigits: 0 });
  return {
    change: t(way === "up" ? "ui.dashboard.shareMore" : "ui.dashboard.shareFewer", { share }),
    against: t(`ui.dashboard.than.${period}`),
    direction: way,
    verdict: verdict(way, wish),
  };
}
