import type { ReactNode } from "react";
import { ConflictDialog } from "@/components/conflict-dialog";
import { described, useFields } from "@/features/fields/data";
import { useFieldLabel } from "@/features/fields/field-text";
import type { ConflictField } from "@/records/conflicts";
import { isSameValue } from "@/records/conflicts";
import { type Field, inputsOf } from "@/records/fields";
import { customInput } from "@/records/flat";
import type { CreatedKind } from "@/records/kinds";
import { useChangerText } from "./use-changer-text";
import { useFieldValue } from "./use-field-value";

/** Fields that a kind shows itself, or that its form holds as several values, by their names in the form. */
export type ConflictViews<V> = Record<string, { names?: readonly (keyof V & string)[]; show: (values: V) => ReactNode }>;

/** Returns the fields of a kind for a conflict, as `src/records/fields.ts` describes them, and its custom fields. */
function useConflictFields<V extends object>(kind: CreatedKind, views: ConflictViews<V>): ConflictField<V>[] {
  const label = useFieldLabel();
  const show = useFieldValue();
  const custom = useFields(kind).map((field) => [customInput(field.key), described(field)] as const);
  const inputs = [...inputsOf(kind), ...custom];
  const linkOf = (field: Field) => (field.type === "company" ? [field.link as keyof V & string] : []);
  /** Fields that are resolved with another one. */
  const links: string[] = inputs.flatMap(([, field]) => linkOf(field));
  const own = inputs.filter(([name]) => !links.includes(name));
  return own.map(([name, field]) => {
    const [link] = linkOf(field);
    return {
      names: [name as keyof V & string, ...linkOf(field)],
      label: label(field),
      show: (values: V) => show(field, values[name as keyof V], link && values[link]),
      ...views[name],
    };
  });
}

export interface RecordConflictProps<V> {
  kind: CreatedKind;
  recordId: string;
  /** The record when editing began. */
  base: V;
  mine: V;
  theirs: V;
  views?: ConflictViews<V>;
  /** Receives the chosen values, and of them those that are not the other version's; null clears a value. */
  onChoose: (values: V, changes: Partial<V>) => void;
  onClose: () => void;
}

/** Resolves a conflict field by field, naming the author of the other version. */
export function RecordConflict<V extends object>({ kind, recordId, views = {}, onChoose, ...versions }: RecordConflictProps<V>) {
  const fields = useConflictFields(kind, views);
  const text = useChangerText({ kind, recordId });
  const choose = (values: V) => {
    const names = fields.flatMap((field) => field.names).filter((name) => !isSameValue(values[name], versions.theirs[name]));
    onChoose(values, Object.fromEntries(names.map((name) => [name, values[name] ?? null])) as Partial<V>);
  };
  return <ConflictDialog fields={fields} text={text} onChoose={choose} {...versions} />;
}
