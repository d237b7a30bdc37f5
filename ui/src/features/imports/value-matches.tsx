import { useState } from "react";
import { useTranslation } from "react-i18next";
import { errorText, fieldError } from "@/api/errors";
import type { ImportColumn, ImportField, RecordImport } from "@/api/schema";
import { Alert } from "@/components/alert";
import { ChoiceField } from "@/components/choice-field";
import { fold } from "@/lib/fold";
import { formatNumber } from "@/lib/format";
import { useAddChoice, useMayAddChoice } from "./data";

type Values = ImportColumn["values"];

const refuse = "!";
const leaveOut = "-";
const add = "+";

const keyOf = (value: string) => fold(value.trim());
const matchOf = (values: Values, value: string) => values.find((known) => keyOf(known.value) === keyOf(value));

/** Returns the id of the element that shows the values of a column, by its place. */
export const valuesId = (at: number) => `values-${at}`;

/** Returns the values of a column that its field does not offer and that become nothing yet, with their rows. */
export function openValues({ values, unknownValues }: ImportColumn) {
  return unknownValues.filter(({ value }) => !matchOf(values, value));
}

export interface ValueMatchesProps {
  kind: RecordImport["kind"];
  /** The name and the place of the column. */
  name: string;
  at: number;
  column: ImportColumn;
  field: ImportField;
  onChange: (values: Values) => void;
}

/** What the values of a column become that are no choices of its field. The check finds them. */
export function ValueMatches({ kind, name, at, column, field, onChange }: ValueMatchesProps) {
  const { t } = useTranslation();
  const { values, unknownValues, unknownOthers } = column;
  const mayAdd = useMayAddChoice(kind, field.name);
  const addChoice = useAddChoice(kind, field.name);
  /** The value whose choice is being added. */
  const [added, setAdded] = useState("");
  const others = values.filter(({ value }) => !unknownValues.some((known) => keyOf(known.value) === keyOf(value)));
  const shown = [...unknownValues, ...others.map(({ value }) => ({ value, rows: 0 }))];
  if (shown.length === 0 || !field.choices) return null;
  const set = (value: string, choice: string | undefined, isLeftOut = false) => {
    const kept = values.filter((known) => keyOf(known.value) !== keyOf(value));
    const match = choice ? [{ value, choice }] : isLeftOut ? [{ value }] : [];
    onChange([...kept, ...match]);
  };
  const choose = (value: string, chosen: string) => {
    if (chosen !== add) return set(value, [refuse, leaveOut].includes(chosen) ? undefined : chosen, chosen === leaveOut);
    setAdded(value);
    addChoice.mutate(value, { onSuccess: (id) => set(value, id) });
  };
  const options = (value: string) => [
    { value: refuse, label: t("ui.imports.values.refuse") },
    { value: leaveOut, label: t("ui.imports.values.leaveOut") },
    ...(field.choices ?? []).map(({ id, name: label }) => ({ value: id, label })),
    ...(mayAdd ? [{ value: add, label: t("ui.imports.values.add", { value }) }] : []),
  ];
  return (
    <section
      id={valuesId(at)}
      aria-label={t("ui.imports.values.title", { column: name })}
      className="rounded-control bg-sunken px-4 py-3 @min-[680px]:col-span-2"
    >
      <p className="font-medium text-ink">{t("ui.imports.values.title", { column: name })}</p>
      <p className="text-sm text-muted">{t("ui.imports.values.lead", { field: field.label })}</p>
      <ul className="mt-3 grid max-h-96 grid-cols-1 gap-3 overflow-y-auto p-1 -m-1">
        {shown.map(({ value, rows }) => {
          const match = matchOf(values, value);
          const chosen = match ? (match.choice ?? leaveOut) : refuse;
          return (
            <li
              key={value}
              className="grid grid-cols-1 items-center gap-x-6 gap-y-1 @min-[560px]:grid-cols-[minmax(0,1fr)_minmax(0,19rem)] @min-[1000px]:grid-cols-[minmax(0,1fr)_minmax(0,19rem)_minmax(0,23rem)]"
            >
              <span className="min-w-0">
                <span dir="auto" className="text-ink [overflow-wrap:anywhere]">
                  {value}
                </span>
                {rows > 0 && (
                  <span className="ml-2 text-sm whitespace-nowrap text-muted">
                    {t("ui.imports.rows", { count: rows, total: formatNumber(rows) })}
                  </span>
                )}
              </span>
              <ChoiceField
                label={t("ui.imports.values.of", { value })}
                hideLabel
                value={chosen}
                onChange={(next) => next !== chosen && choose(value, next)}
                options={options(value)}
              />
            </li>
          );
        })}
      </ul>
      {unknownOthers > 0 && (
        <p className="mt-3 text-sm text-muted">
          {t("ui.imports.values.others", { count: unknownOthers, total: formatNumber(unknownOthers) })}
        </p>
      )}
      {addChoice.error && (
        <Alert kind="error" className="mt-3">
          {t("ui.imports.values.notAdded", { value: added, reason: fieldError(addChoice.error, "statuses") ?? errorText(addChoice.error) })}
        </Alert>
      )}
    </section>
  );
}
