import type { FieldValues } from "react-hook-form";
import type { RecordKind } from "@/api/schema";
import { ConflictDialog } from "@/components/conflict-dialog";
import type { ConflictField } from "@/records/conflicts";
import type { useConflict, Versioned } from "@/records/use-conflict";
import { useChangerText } from "./use-changer-text";

interface RecordConflictProps<R extends Versioned, V extends FieldValues> {
  kind: RecordKind;
  conflict: ReturnType<typeof useConflict<R, V>>;
  fields: readonly ConflictField<V>[];
  /** Called if no own change was kept: the record stays as others changed it. */
  onTaken: (record: R) => void;
}

/** Resolves a conflict, naming the author of the other version. */
export function RecordConflict<R extends Versioned, V extends FieldValues>({ kind, conflict, fields, onTaken }: RecordConflictProps<R, V>) {
  const { versions } = conflict;
  const text = useChangerText(versions && { kind, recordId: versions.record.id });
  if (!versions) return null;
  const { record, ...values } = versions;
  return (
    <ConflictDialog
      {...values}
      fields={fields}
      text={text}
      onChoose={(chosen, ownKept) => {
        conflict.choose(chosen, ownKept);
        if (!ownKept) onTaken(record);
      }}
      onClose={conflict.close}
    />
  );
}
