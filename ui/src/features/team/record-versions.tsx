import type { FieldValues } from "react-hook-form";
import { VersionsDialog } from "@/components/versions-dialog";
import type { useVersions, Versioned } from "@/lib/use-versions";
import type { VersionField } from "@/lib/versions";
import { useChangerText } from "./use-changer-text";

interface RecordVersionsProps<R extends Versioned, V extends FieldValues> {
  kind: "customer" | "event";
  versions: ReturnType<typeof useVersions<R, V>>;
  fields: readonly VersionField<V>[];
  /** Nothing of one's own was kept: the record stays as others made it. */
  onTaken: (record: R) => void;
}

/** Asks which of two versions stays, naming who made the other. */
export function RecordVersions<R extends Versioned, V extends FieldValues>({ kind, versions, fields, onTaken }: RecordVersionsProps<R, V>) {
  const { both } = versions;
  const text = useChangerText(both && { kind, recordId: both.record.id });
  if (!both) return null;
  const { record, ...values } = both;
  return (
    <VersionsDialog
      {...values}
      fields={fields}
      text={text}
      onChoose={(chosen, ownKept) => {
        versions.choose(chosen, ownKept);
        if (!ownKept) onTaken(record);
      }}
      onClose={versions.close}
    />
  );
}
