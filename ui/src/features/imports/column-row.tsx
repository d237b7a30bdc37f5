import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { ImportColumn, ImportField, RecordImport } from "@/api/schema";
import { ChoiceField } from "@/components/choice-field";
import { Select } from "@/components/select";
import { StatusPill } from "@/components/status-pill";
import { TextField } from "@/components/text-field";
import { type NewFieldType, newFieldTypes } from "./guess-type";
import { ValueMatches } from "./value-matches";

const nowhere = "-";
const newField = "+";

/** Fields whose values have a label. */
const labelled = ["email", "phone"];

/** A text that is saved when the member leaves it. */
function SavedText(props: {
  label: string;
  value: string;
  hideLabel?: boolean;
  placeholder?: string;
  error?: string | undefined;
  maxLength: number;
  onSave: (text: string) => void;
}) {
  const { value, onSave, ...field } = props;
  const [typed, setTyped] = useState<string>();
  const save = () => {
    const text = typed?.trim();
    if (text !== undefined && text !== value) onSave(text);
    setTyped(undefined);
  };
  return (
    <TextField
      {...field}
      autoComplete="off"
      value={typed ?? value}
      onChange={(event) => setTyped(event.target.value)}
      onBlur={save}
      onKeyDown={(event) => event.key === "Enter" && save()}
    />
  );
}

export interface ColumnRowProps {
  column: ImportColumn;
  /** Its place, from 0. */
  at: number;
  kind: RecordImport["kind"];
  fields: ImportField[];
  /** The names of the columns that fields without a list already get, by field. */
  users: Map<string, string>;
  /** Whether the member may define fields. */
  mayDefine: boolean;
  error: string | undefined;
  onTarget: (target: { field?: string; newField?: { name: string; type: NewFieldType } }) => void;
  /** Makes the column a new field. */
  onDefine: () => void;
  onLabel: (label: string) => void;
  /** Says what values of the column become. */
  onValues: (values: ImportColumn["values"]) => void;
}

/** Returns the name of a column: that in the file, or its number. */
export function useColumnName() {
  const { t } = useTranslation();
  return ({ header }: ImportColumn, at: number) => header || t("ui.imports.column", { number: at + 1 });
}

/** A column of the file: its name, some of its values, and where it goes. */
export function ColumnRow({ column, at, kind, fields, users, mayDefine, error, onTarget, onDefine, onLabel, onValues }: ColumnRowProps) {
  const { t } = useTranslation();
  const name = useColumnName()(column, at);
  const field = fields.find((one) => one.name === column.field);
  const made = column.newField;
  const value = made ? newField : (column.field ?? nowhere);
  const known = fields.map((field) => {
    const user = field.name === column.field ? undefined : users.get(field.name);
    return { value: field.name, label: field.label, ...(user && { note: t("ui.imports.inUse", { column: user }) }) };
  });
  const options = [
    { value: nowhere, label: t("ui.imports.nowhere") },
    ...known,
    ...(mayDefine || made ? [{ value: newField, label: t("ui.imports.newField") }] : []),
  ];
  const choose = (chosen: string) => {
    if (chosen === value) return;
    if (chosen === newField) onDefine();
    else onTarget(chosen === nowhere ? {} : { field: chosen });
  };
  const state = made ? (
    <StatusPill tone="accent">{t("ui.imports.isNew")}</StatusPill>
  ) : !column.field ? (
    <StatusPill tone="warn">{t("ui.imports.notImported")}</StatusPill>
  ) : (
    <StatusPill tone="off">{t(`ui.imports.guessed.${column.guessedFrom ?? "you"}`)}</StatusPill>
  );
  return (
    <li
      data-item
      className="grid grid-cols-1 gap-x-6 gap-y-2.5 border-t border-hover px-5 py-4 @min-[680px]:grid-cols-[minmax(0,1fr)_minmax(0,21rem)] @min-[1000px]:grid-cols-[minmax(0,1fr)_minmax(0,44rem)]"
    >
      <div className="min-w-0">
        <p className="flex flex-wrap items-center gap-x-2.5 gap-y-1">
          <span dir="auto" className="max-w-full truncate font-medium text-ink" title={name}>
            {name}
          </span>
          {state}
        </p>
        <p dir="auto" className="mt-0.5 line-clamp-2 text-sm text-muted [overflow-wrap:anywhere]">
          {column.samples.length > 0 ? column.samples.join(" · ") : t("ui.imports.noSamples")}
        </p>
      </div>
      <div className="grid min-w-0 grid-cols-1 items-start gap-2.5 @min-[1000px]:grid-cols-[minmax(0,19rem)_minmax(0,1fr)]">
        <ChoiceField
          label={t("ui.imports.target", { column: name })}
          hideLabel
          value={value}
          onChange={choose}
          options={options}
          error={made ? undefined : error}
        />
        {made && (
          <div className="grid grid-cols-1 gap-2.5 min-[420px]:grid-cols-2">
            <SavedText
              label={t("ui.imports.fieldName")}
              value={made.name}
              maxLength={100}
              error={error}
              onSave={(text) => onTarget({ newField: { name: text, type: made.type as NewFieldType } })}
            />
            <Select
              label={t("ui.imports.fieldType")}
              value={made.type as NewFieldType}
              onChange={(type) => onTarget({ newField: { name: made.name, type } })}
              options={newFieldTypes.map((type) => ({ value: type, label: t(`ui.fields.types.${type}`) }))}
            />
            <p className="text-sm text-muted min-[420px]:col-span-2">{t("ui.imports.fieldHint")}</p>
          </div>
        )}
        {labelled.includes(column.field ?? "") && (
          <SavedText
            label={t("ui.imports.label", { column: name })}
            hideLabel
            placeholder={t("ui.imports.labelHint")}
            value={column.label}
            maxLength={50}
            onSave={onLabel}
          />
        )}
      </div>
      {field && <ValueMatches kind={kind} name={name} at={at} column={column} field={field} onChange={onValues} />}
    </li>
  );
}
