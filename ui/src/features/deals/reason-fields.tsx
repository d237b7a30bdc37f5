import { useTranslation } from "react-i18next";
import { TextArea } from "@/components/text-area";
import { textOrNull } from "@/lib/text-or-null";
import type { Outcome } from "./outcome";
import { ReasonSelect } from "./reason-select";

/** Why a deal was won or lost. */
export interface Closing {
  reasonId: string | null;
  reason: string | null;
}

/** What a deal begins with that is closed. */
export const noReason: Closing = { reasonId: null, reason: null };

/** Returns a reason as the call takes it. */
export const toReason = ({ reasonId, reason }: Closing): Closing => ({ reasonId, reason: textOrNull(reason) });

/** Characters of a reason's text. */
const maxLength = 500;

interface ReasonFieldsProps {
  outcome: Exclude<Outcome, "open">;
  value: Closing;
  onChange: (closing: Closing) => void;
}

/** Why deals were won or lost: one of the company's reasons, and a text. Both are optional. */
export function ReasonFields({ outcome, value, onChange }: ReasonFieldsProps) {
  const { t } = useTranslation();
  return (
    <>
      <ReasonSelect outcome={outcome} value={value.reasonId} onChange={(reasonId) => onChange({ ...value, reasonId })} />
      <TextArea
        label={t("ui.deals.reasonText")}
        rows={3}
        maxLength={maxLength}
        value={value.reason ?? ""}
        onChange={({ target }) => onChange({ ...value, reason: target.value || null })}
      />
    </>
  );
}
