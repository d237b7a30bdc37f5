import { useEffect, useEffectEvent, useId, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { cx } from "@/lib/cx";
import { type ConflictField, compareVersions, mergeVersions } from "@/records/conflicts";
import { Button } from "./button";
import { Dialog } from "./dialog";

export interface ConflictDialogProps<V> {
  fields: readonly ConflictField<V>[];
  /** The record when editing began. */
  base: V;
  mine: V;
  theirs: V;
  /** A sentence that names who changed it, if known. */
  text?: string | undefined;
  /** Receives the chosen values, and whether any are the member's own. */
  onChoose: (values: V, ownKept: boolean) => void;
  onClose: () => void;
}

interface ChoiceProps<V> {
  field: ConflictField<V>;
  mine: V;
  theirs: V;
  keep: boolean;
  onKeep: (keep: boolean) => void;
}

function Choice<V>({ field, mine, theirs, keep, onKeep }: ChoiceProps<V>) {
  const { t } = useTranslation();
  const name = useId();
  const versions = [
    { label: t("ui.versions.mine"), values: mine, own: true },
    { label: t("ui.versions.theirs"), values: theirs, own: false },
  ];
  return (
    <fieldset className="min-w-0">
      <legend className="mb-1.5 text-sm font-semibold text-ink">{field.label}</legend>
      <div className="grid gap-2.5 sm:grid-cols-2">
        {versions.map(({ label, values, own }) => (
          <label
            key={label}
            className={cx(
              "flex min-w-0 cursor-pointer gap-2.5 rounded-control border p-3 transition-colors has-focus-visible:outline-2 has-focus-visible:outline-primary",
              keep === own ? "border-primary bg-tint-soft" : "border-line-strong hover:bg-sunken",
            )}
          >
            <input
              type="radio"
              name={name}
              checked={keep === own}
              onChange={() => onKeep(own)}
              className="mt-0.5 size-4 shrink-0 accent-primary focus-visible:outline-none"
            />
            <span className="min-w-0 flex-1">
              <span className="block text-sm font-medium text-gray-700">{label}</span>
              <span className="mt-1 block whitespace-pre-line text-ink [overflow-wrap:anywhere]">
                {field.show(values) || <span className="text-muted">{t("ui.versions.empty")}</span>}
              </span>
            </span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}

/**
 * Shows both versions of the fields that two members changed, and saves nothing before the choice. What only one of them
 * changed is merged without a question; if that is all, nothing is shown.
 */
export function ConflictDialog<V>({ fields, base, mine, theirs, text, onChoose, onClose }: ConflictDialogProps<V>) {
  const { t } = useTranslation();
  const { asked, own } = compareVersions(fields, base, mine, theirs);
  const [chosen, setChosen] = useState<Record<string, boolean>>({});
  const keeps = (field: ConflictField<V>) => chosen[field.names.join()] ?? true;
  const keepAll = (isOwn: boolean) => setChosen(Object.fromEntries(asked.map((field) => [field.names.join(), isOwn])));
  const choose = () => {
    const kept = [...own, ...asked.filter(keeps)];
    onChoose(mergeVersions(theirs, mine, kept), kept.length > 0);
  };
  const hasQuestion = asked.length > 0;
  const isMerged = useRef(false);
  const merge = useEffectEvent(choose);
  useEffect(() => {
    if (hasQuestion || isMerged.current) return;
    isMerged.current = true;
    merge();
  }, [hasQuestion]);
  if (!hasQuestion) return null;
  return (
    <Dialog
      title={t("ui.versions.title")}
      isOpen
      onOpenChange={onClose}
      className="sm:!max-w-180"
      footer={
        <>
          <Button className="max-sm:grow" onClick={onClose}>
            {t("ui.versions.back")}
          </Button>
          <Button variant="primary" className="max-sm:grow" onClick={choose}>
            {t("ui.versions.save")}
          </Button>
        </>
      }
    >
      <p className="text-soft">{text ?? t("ui.versions.textUnknown")}</p>
      {asked.length > 1 && (
        <div className="mt-3 flex flex-wrap gap-2">
          <Button size="sm" onClick={() => keepAll(true)}>
            {t("ui.versions.keepMine")}
          </Button>
          <Button size="sm" onClick={() => keepAll(false)}>
            {t("ui.versions.takeTheirs")}
          </Button>
        </div>
      )}
      <div className="mt-5 grid grid-cols-1 gap-5">
        {asked.map((field) => (
          <Choice
            key={field.names.join()}
            field={field}
            mine={mine}
            theirs={theirs}
            keep={keeps(field)}
            onKeep={(isOwn) => setChosen((before) => ({ ...before, [field.names.join()]: isOwn }))}
          />
        ))}
      </div>
    </Dialog>
  );
}
