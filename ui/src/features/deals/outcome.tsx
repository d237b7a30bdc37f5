import { useTranslation } from "react-i18next";
import type { Deal } from "@/api/schema";
import { StatusPill } from "@/components/status-pill";

export type Outcome = Deal["outcome"];

export const outcomes: Outcome[] = ["open", "won", "lost"];
const tones = { open: "warn", won: "ok", lost: "off" } as const;

/** Whether a deal is open, won or lost. */
export function DealOutcome({ outcome }: { outcome: Outcome }) {
  const { t } = useTranslation();
  return <StatusPill tone={tones[outcome]}>{t(`ui.deals.outcomes.${outcome}`)}</StatusPill>;
}
