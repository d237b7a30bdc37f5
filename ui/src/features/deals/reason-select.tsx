import type { RefCallback } from "react";
import { useTranslation } from "react-i18next";
import { Select } from "@/components/select";
import { usePipeline } from "@/records/pipeline";
import type { Outcome } from "./outcome";

const none = "none:";

export interface ReasonSelectProps {
  outcome: Outcome;
  value: string | null;
  /** Receives null for none. */
  onChange: (id: string | null) => void;
  error?: string | undefined;
  ref?: RefCallback<HTMLElement>;
}

/** A choice of a reason why deals are won or lost. One that can no longer be chosen is offered while chosen. */
export function ReasonSelect({ outcome, value, onChange, error }: ReasonSelectProps) {
  const { t } = useTranslation();
  const { reasons } = usePipeline();
  const offered = reasons.filter((reason) => reason.id === value || (reason.outcome === outcome && !reason.removed));
  return (
    <Select
      label={t("ui.deals.reason")}
      value={value ?? none}
      error={error}
      onChange={(id) => onChange(id === none ? null : id)}
      options={[{ value: none, label: t("ui.list.none") }, ...offered.map(({ id, name }) => ({ value: id, label: name }))]}
    />
  );
}
