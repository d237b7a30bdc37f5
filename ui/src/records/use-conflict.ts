import { useEffect, useRef, useState } from "react";
import type { DefaultValues, FieldValues, UseFormReturn } from "react-hook-form";
import { baseOf, readDraft, writeDraft } from "@/lib/drafts";

export interface Versioned {
  id: string;
  version: number;
}

/**
 * The record that a form started from. It stays the same when others change the record, so that a save detects their
 * change. A restored draft keeps the record that it was typed over.
 */
export function useFormBaseline<R extends Versioned>(record: R | undefined, member: string, name: string) {
  const key = baseOf(name);
  const [base, setBase] = useState(() =>
    record && readDraft(member, name) !== undefined ? (readDraft<R>(member, key) ?? record) : record,
  );
  const storeBase = (next: R | undefined) => writeDraft(member, key, next);
  return { base, setBase, storeBase };
}

export interface ConflictOptions<R extends Versioned, V extends FieldValues> {
  /** The server's latest known version. */
  record: R | undefined;
  baseline: ReturnType<typeof useFormBaseline<R>>;
  form: UseFormReturn<V>;
  toValues: (record: R) => V;
  /** Reads the current record. */
  read: () => Promise<R>;
  save: () => void;
}

/** Resolves a conflict in a form: holds both versions of the record and applies the member's choice. */
export function useConflict<R extends Versioned, V extends FieldValues>({
  record,
  baseline,
  form,
  toValues,
  read,
  save,
}: ConflictOptions<R, V>) {
  const { base, setBase, storeBase } = baseline;
  const { isDirty } = form.formState;
  const [theirs, setTheirs] = useState<R>();
  const [round, setRound] = useState(0);
  const saving = useRef(false);
  const call = useRef(save);
  call.current = save;
  const values = useRef(toValues);
  values.current = toValues;
  const storeBaseRef = useRef(storeBase);
  storeBaseRef.current = storeBase;
  const { reset } = form;

  useEffect(() => storeBaseRef.current(isDirty ? base : undefined), [isDirty, base]);
  // While the form has no changes, it follows the changes of others.
  useEffect(() => {
    if (!record || !base || isDirty || record.version <= base.version) return;
    setBase(record);
    reset(values.current(record) as DefaultValues<V>);
    setRound((before) => before + 1);
  }, [record, base, isDirty, reset, setBase]);
  // After the choice, the form saves over the version that the choice was made from.
  useEffect(() => {
    if (round === 0 || !saving.current) return;
    saving.current = false;
    call.current();
  }, [round]);

  return {
    /**
     * Number of times that the fields were refilled; components that keep their own text, such as an editor, restart
     * with it.
     */
    round,
    open: async () => setTheirs(await read()),
    versions: base && theirs ? { base: toValues(base), mine: form.getValues(), theirs: toValues(theirs), record: theirs } : undefined,
    close: () => setTheirs(undefined),
    choose: (chosen: V, ownKept: boolean) => {
      if (!theirs) return;
      setBase(theirs);
      setTheirs(undefined);
      reset(toValues(theirs) as DefaultValues<V>);
      if (ownKept) reset(chosen, { keepDefaultValues: true });
      saving.current = ownKept;
      setRound((before) => before + 1);
    },
  };
}
