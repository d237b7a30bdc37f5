import type { ParseKeys } from "i18next";
import { useTranslation } from "react-i18next";
import type { DuplicateReason } from "@/api/schema";
import { mediumDate } from "@/lib/format";
import { likelyScore, veryLikelyScore } from "./data";

type Reason = DuplicateReason["reason"];

/** The reasons, the strongest first. */
const strength: Reason[] = ["email", "phone", "website", "name", "swappedName", "similarName", "birthday", "organization"];

/** Reasons that the names themselves show. */
const ofNames: Reason[] = ["name", "swappedName", "similarName"];

export const sortedReasons = (reasons: DuplicateReason[]) =>
  reasons.toSorted((one, other) => strength.indexOf(one.reason) - strength.indexOf(other.reason));

/** Returns functions that say why two records look alike. */
export function useReasonTexts() {
  const { t } = useTranslation();
  const text = ({ reason }: DuplicateReason) => t(`ui.duplicates.reasons.${reason}`);
  /** With what they share, where the reason alone does not show it. */
  const fullText = (one: DuplicateReason) => {
    if (!one.value || ofNames.includes(one.reason)) return text(one);
    return t("ui.duplicates.reasonWith", { reason: text(one), value: one.reason === "birthday" ? mediumDate(one.value) : one.value });
  };
  return { text, fullText };
}

/** Returns how likely two records are the same: the key of its words, and the tone of its pill. */
export function likelihood(score: number): { text: ParseKeys; tone: "accent" | "off" } {
  if (score >= veryLikelyScore) return { text: "ui.duplicates.likely.very", tone: "accent" };
  return { text: score >= likelyScore ? "ui.duplicates.likely.yes" : "ui.duplicates.likely.maybe", tone: "off" };
}
