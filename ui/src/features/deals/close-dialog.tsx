import { type FormEvent, useId, useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { Dialog } from "@/components/dialog";
import { useDiscardGuard } from "@/components/leave-guard";
import type { Outcome } from "./outcome";
import { type Closing, noReason, ReasonFields, toReason } from "./reason-fields";

export interface CloseDialogProps {
  title: string;
  confirm: string;
  outcome: Exclude<Outcome, "open">;
  value?: Closing;
  onSave: (closing: Closing) => void;
  onClose: () => void;
}

/** Asks why a deal was won or lost; both answers are optional. */
export function CloseDialog({ title, confirm, outcome, value, onSave, onClose }: CloseDialogProps) {
  const { t } = useTranslation();
  const form = useId();
  const start = value ?? noReason;
  const [closing, setClosing] = useState(start);
  const isChanged = closing.reasonId !== start.reasonId || closing.reason !== start.reason;
  const { close, question } = useDiscardGuard(isChanged, onClose);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    event.stopPropagation();
    onSave(toReason(closing));
    onClose();
  };
  return (
    <Dialog
      title={title}
      isOpen
      onOpenChange={close}
      footer={
        <>
          <Button onClick={close}>{t("ui.action.cancel")}</Button>
          <Button variant="primary" type="submit" form={form}>
            {confirm}
          </Button>
        </>
      }
    >
      <form id={form} className="grid grid-cols-1 gap-4" onSubmit={submit}>
        <ReasonFields outcome={outcome} value={closing} onChange={setClosing} />
      </form>
      {question}
    </Dialog>
  );
}

/**
 * Returns what loses a single deal, on every screen: `ask` asks why, and returns the change, or undefined if it is not lost
 * after all; `value` is what was answered before. `dialog` is what asks.
 */
export function useLoss() {
  const { t } = useTranslation();
  const [asked, setAsked] = useState<{ title: string; value: Closing; answer: (closing: Closing | undefined) => void }>();
  return {
    ask: async ({ title }: { title: string }, value = noReason) => {
      const closing = await new Promise<Closing | undefined>((answer) => setAsked({ title, value, answer }));
      return closing && { outcome: "lost" as const, ...closing };
    },
    dialog: asked && (
      <CloseDialog
        title={t("ui.deals.loseTitle", { title: asked.title })}
        confirm={t("ui.deals.lose")}
        outcome="lost"
        value={asked.value}
        onSave={asked.answer}
        onClose={() => {
          // After an answer, this one has no effect.
          asked.answer(undefined);
          setAsked(undefined);
        }}
      />
    ),
  };
}
