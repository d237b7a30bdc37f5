import { type FormEvent, useId, useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { Dialog } from "@/components/dialog";
import { TextArea } from "@/components/text-area";
import { textOrNull } from "@/lib/text-or-null";
import type { Outcome } from "./outcome";
import { ReasonSelect } from "./reason-select";

/** Why a deal was won or lost. */
export interface Closing {
  reasonId: string | null;
  reason: string | null;
}

export interface CloseDialogProps {
  title: string;
  confirm: string;
  outcome: Exclude<Outcome, "open">;
  value?: Closing;
  onSave: (closing: Closing) => void;
  onClose: () => void;
}

/** Characters of a reason's text. */
const maxLength = 500;

/** Asks why a deal was won or lost; both answers are optional. */
export function CloseDialog({ title, confirm, outcome, value, onSave, onClose }: CloseDialogProps) {
  const { t } = useTranslation();
  const form = useId();
  const [reasonId, setReasonId] = useState(value?.reasonId ?? null);
  const [reason, setReason] = useState(value?.reason ?? "");
  const submit = (event: FormEvent) => {
    event.preventDefault();
    event.stopPropagation();
    onSave({ reasonId, reason: textOrNull(reason) });
    onClose();
  };
  return (
    <Dialog
      title={title}
      isOpen
      onOpenChange={onClose}
      footer={
        <>
          <Button onClick={onClose}>{t("ui.action.cancel")}</Button>
          <Button variant="primary" type="submit" form={form}>
            {confirm}
          </Button>
        </>
      }
    >
      <form id={form} className="grid grid-cols-1 gap-4" onSubmit={submit}>
        <ReasonSelect outcome={outcome} value={reasonId} onChange={setReasonId} />
        <TextArea
          label={t("ui.deals.reasonText")}
          rows={3}
          maxLength={maxLength}
          value={reason}
          onChange={(event) => setReason(event.target.value)}
        />
      </form>
    </Dialog>
  );
}
