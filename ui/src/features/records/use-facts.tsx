import { useQueryClient } from "@tanstack/react-query";
import { createContext, useContext, useState } from "react";
import { fieldError } from "@/api/errors";
import type { RecordOf } from "@/api/schema";
import { SaveFailure } from "@/components/save-failure";
import { SaveNote } from "@/components/save-note";
import { useMay, useUser } from "@/features/account/data";
import { useFields } from "@/features/fields/data";
import { listOf } from "@/lib/format";
import { recordQuery, useSaveRecord } from "@/records/data";
import { inputsOf, pathOf } from "@/records/fields";
import { bodyOf, customInput, customValues, type FlatValues, flatValues } from "@/records/flat";
import { type CreatedKind, recordKinds } from "@/records/kinds";
import { fieldLabels } from "@/records/undo-change";
import { useVersionedAutosave } from "@/records/use-versioned-autosave";
import { RecordConflict } from "./record-conflict";

type FlatRecord = FlatValues & { id: string; version: number };

/** The facts of a record that are edited where they stand. */
export interface FactEditing {
  /** The values with the changes that are not saved yet, by the names of the fields in the form. */
  values: FlatValues;
  /** Saves changes; `completed` replaces them as soon as it is known, if it is given. */
  save: (values: FlatValues, completed?: Promise<FlatValues>) => void;
  errorOf: (input: string) => string | undefined;
  /** The record with what someone else changed in a field while it is edited here. */
  changedElsewhere: (input: string) => FlatValues | undefined;
  /** Whether the input of a field is shown: it was asked for, or its value was not accepted. */
  isEdited: (input: string) => boolean;
  edit: (input: string) => void;
  /** Ends the editing of a field, unless another one is edited by now. */
  close: (input: string) => void;
  /** Notes whether something is typed in the input of a field that is not saved. */
  noteTyped: (input: string, isUnsaved: boolean) => void;
  /** Shows the form with the focus on the input of a field. */
  toForm: ((input: string) => void) | undefined;
}

const FactContext = createContext<FactEditing | undefined>(undefined);

export const FactProvider = FactContext.Provider;

/** Returns the editing of the record's facts; undefined where they are only read. */
export const useFactEditing = () => useContext(FactContext);

interface FactsOptions {
  toForm?: ((input: string) => void) | undefined;
  /** What is edited: the record's own facts or its custom fields, each with its own state and what is not saved. */
  part?: "facts" | "fields";
}

/** Edits the facts of a record where they stand; each change is saved at once over the version that was read. */
export function useFacts<K extends CreatedKind>(kind: K, record: RecordOf<K>, { toForm, part = "facts" }: FactsOptions) {
  const user = useUser();
  const client = useQueryClient();
  const mayWrite = useMay(`${recordKinds[kind].name}.write`);
  const { mutateAsync } = useSaveRecord(kind);
  const custom = useFields(kind);
  const flat = (one: RecordOf<K>): FlatRecord => ({
    ...flatValues(kind, one),
    ...customValues(one.fields),
    id: one.id,
    version: one.version,
  });
  const [values, setValues] = useState<FlatValues>(() => flat(record));
  const [edited, edit] = useState<string>();
  /** The fields in whose inputs something is typed that is not saved. */
  const [unsaved, setUnsaved] = useState<string[]>([]);
  const saving = useVersionedAutosave<FlatRecord, FlatValues>({
    kind,
    record: flat(record),
    member: user.id,
    name: `${part}.${kind}.${record.id}`,
    send: async (patch, version) => flat(await mutateAsync({ input: bodyOf(kind, patch), known: { ...record, version } })),
    read: async () => flat(await client.fetchQuery({ ...recordQuery(kind, record.id), staleTime: 0 })),
    adopt: (latest, patch) => setValues({ ...latest, ...patch }),
    // What is typed was typed over the version that was read when it began.
    holds: () => edited !== undefined,
    labelsOf: (names) =>
      fieldLabels(kind, names) || listOf(custom.filter(({ key }) => names.includes(customInput(key))).map(({ name }) => name)),
  });
  const { state, error, flush, conflict } = saving;
  const inputs = inputsOf(kind);
  const errorOf = (input: string): string | undefined => {
    const field = inputs.get(input);
    const path = pathOf(kind, input);
    const parts = field?.type === "money" ? [path, `${path}.amount`, `${path}.currency`] : [path];
    const own = parts.map((one) => fieldError(error, one)).find(Boolean);
    return own ?? (field?.type === "company" ? errorOf(field.link) : undefined);
  };
  const isPlaced = Object.keys(values).some(errorOf);
  const editing: FactEditing = {
    values,
    save: (changes, completed) => {
      const change = (all: FlatValues, now: boolean) => {
        setValues((before) => ({ ...before, ...all }));
        saving.change(all, now);
      };
      change(changes, completed === undefined);
      void completed?.then((all) => change(all, true));
    },
    errorOf,
    changedElsewhere: (input) => {
      const field = inputs.get(input);
      const names = field?.type === "company" ? [input, field.link] : [input];
      return edited === input && names.some(saving.isChangedElsewhere) ? flat(record) : undefined;
    },
    isEdited: (input) => edited === input || errorOf(input) !== undefined,
    edit,
    close: (input) => {
      edit((now) => (now === input ? undefined : now));
      editing.noteTyped(input, false);
    },
    noteTyped: (input, isUnsaved) => setUnsaved((now) => [...now.filter((one) => one !== input), ...(isUnsaved ? [input] : [])]),
    toForm,
  };
  return {
    editing: mayWrite ? editing : undefined,
    flush: () => void flush(),
    drop: saving.drop,
    note: <SaveNote state={state} isUnsaved={unsaved.length > 0} onRetry={() => void flush()} />,
    failureIn: (className: string) =>
      state === "failed" && <SaveFailure error={error} isPlaced={isPlaced} onCompare={() => void flush()} className={className} />,
    dialog: conflict && (
      <RecordConflict
        {...conflict}
        kind={kind}
        recordId={record.id}
        mine={values}
        onChoose={(_record, changes) => saving.choose(changes)}
        onClose={saving.close}
      />
    ),
  };
}
