import type { FieldValues } from "react-hook-form";
import { VersionsDialog } from "@/components/versions-dialog";
import { changerOf } from "@/lib/editors";
import type { useVersions, Versioned } from "@/lib/use-versions";
import type { VersionField } from "@/lib/versions";
import { useMembers } from "./data";

interface RecordVersionsProps<R extends Versioned, V extends FieldValues> {
  kind: "customer" | "event";
  versions: ReturnType<typeof useVersions<R, V>>;
  fields: readonly VersionField<V>[];
  /** Nothing of one's own was kept: the record stays as others made it. */
  onTaken: (record: R) => void;
}

/** Asks which of two versions stays, naming who made the other. */
export function RecordVersions<R extends Versioned, V extends FieldValues>({ kind, versions, fields, onTaken }: RecordVersionsProps<R, V>) {
  const { find } = useMembers();
  const { both } = versions;
  if (!both) return null;
  const { record, ...values } = both;
  return (
    <VersionsDialog
      {...values}
      fields={fields}
      who={find(changerOf({ kind, recordId: record.id }))?.name}
      onChoose={(chosen, ownKept) => {
        versions.choose(chosen, ownKept);
        if (!ownKept) onTaken(record);
      }}
      onClose={versions.close}
    />
  );
}
