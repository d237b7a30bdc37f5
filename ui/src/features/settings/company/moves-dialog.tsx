import { type FormEvent, useId, useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { Dialog } from "@/components/dialog";
import { Select } from "@/components/select";

/** Which one takes the place of a removed one. */
export interface Move {
  from: string;
  to: string;
}

interface MovesDialogProps {
  /** Whose texts it shows. */
  area: "deals" | "statuses";
  removed: { id: string; name: string }[];
  /** Those that were there before and stay. */
  kept: { id: string; name: string }[];
  run: (moves: Move[]) => void;
  onClose: () => void;
}

/** Asks which stage or status takes the place of each removed one in the records that have it. */
export function MovesDialog({ area, removed, kept, run, onClose }: MovesDialogProps) {
  const { t } = useTranslation();
  const form = useId();
  const [chosen, setChosen] = useState<Record<string, string>>({});
  const first = kept[0]?.id;
  const targetOf = (id: string) => chosen[id] ?? first;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    event.stopPropagation();
    run(removed.flatMap(({ id }) => ({ from: id, to: targetOf(id) ?? "" })));
    onClose();
  };
  return (
    <Dialog
      title={t(`ui.settings.${area}.movesTitle`)}
      isOpen
      onOpenChange={onClose}
      footer={
        <>
          <Button onClick={onClose}>{t("ui.action.cancel")}</Button>
          <Button variant="primary" type="submit" form={form} disabled={!first}>
            {t(`ui.settings.${area}.move`)}
          </Button>
        </>
      }
    >
      <form id={form} className="grid grid-cols-1 gap-4" onSubmit={submit}>
        <p className="text-soft">{t(`ui.settings.${area}.${first ? "movesText" : "movesNone"}`)}</p>
        {first &&
          removed.map(({ id, name }) => (
            <Select
              key={id}
              label={t(`ui.settings.${area}.moveTo`, { name })}
              value={targetOf(id) ?? null}
              onChange={(to) => setChosen({ ...chosen, [id]: to })}
              options={kept.map((one) => ({ value: one.id, label: one.name }))}
            />
          ))}
      </form>
    </Dialog>
  );
}
