import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Select } from "@/components/select";
import { type Outcome, outcomes } from "./outcome";
import { type Closing, noReason, ReasonFields, toReason } from "./reason-fields";

/** The outcome of many deals: it asks why they are won or lost. */
export function OutcomeInput({ onChange }: { onChange: (change: { outcome: Outcome } & Partial<Closing>) => void }) {
  const { t } = useTranslation();
  const [outcome, setOutcome] = useState<Outcome>();
  const [closing, setClosing] = useState(noReason);
  const choose = (next: Outcome, reason: Closing) => {
    setOutcome(next);
    setClosing(reason);
    onChange({ outcome: next, ...(next !== "open" && toReason(reason)) });
  };
  return (
    <>
      <Select
        label={t("ui.deals.outcome")}
        value={outcome ?? null}
        placeholder={t("ui.fields.choose")}
        onChange={(next) => choose(next, noReason)}
        options={outcomes.map((value) => ({ value, label: t(`ui.deals.outcomes.${value}`) }))}
      />
      {outcome && outcome !== "open" && <ReasonFields outcome={outcome} value={closing} onChange={(reason) => choose(outcome, reason)} />}
    </>
  );
}
