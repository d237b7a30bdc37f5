import { useId, useState } from "react";
import { useTranslation } from "react-i18next";
import { cx } from "@/lib/cx";
import { type ConflictField, type Difference, findDifferences, mergeVersions } from "@/records/conflicts";
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
  field: Difference<V>;
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

/** Shows both versions of a record that two members changed, field by field; saves nothing before the choice. */
export function ConflictDialog<V>({ fields, base, mine, theirs, text, onChoose, onClose }: ConflictDialogProps<V>) {
  const { t } = useTranslation();
  const found = findDifferences(fields, base, mine, theirs);
  const [chosen, setChosen] = useState<Record<string, boolean>>({});
  const keeps = (field: Difference<V>) => chosen[field.names.join()] ?? field.mineChanged;
  const keepAll = (own: boolean) => setChosen(Object.fromEntries(found.map((field) => [field.names.join(), own])));
  const kept = found.filter(keeps);
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
          <Button variant="primary" className="max-sm:grow" onClick={() => onChoose(mergeVersions(theirs, mine, kept), kept.length > 0)}>
            {t("ui.versions.save")}
          </Button>
        </>
      }
    >
      <p className="text-soft">{text ?? t("ui.versions.textUnknown")}</p>
      {found.length > 0 ? (
        <>
          {found.length > 1 && (
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
            {found.map((field) => (
              <Choice
                key={field.names.join()}
                field={field}
                mine={mine}
                theirs={theirs}
                keep={keeps(field)}
                onKeep={(own) => setChosen((before) => ({ ...before, [field.names.join()]: own }))}
              />
            ))}
          </div>
        </>
      ) : (
        <p className="mt-3 text-ink">{t("ui.versions.same")}</p>
      )}
    </Dialog>
  );
}
