import type { FieldValues } from "@/api/schema";
import { RecordFields } from "@/features/fields/record-fields";
import { Files } from "@/features/record-parts/files";
import { Timeline } from "@/features/record-parts/timeline";
import { cx } from "@/lib/cx";
import type { CreatedKind } from "@/records/kinds";

export interface RecordPartsProps {
  kind: CreatedKind;
  record: { id: string; fields: FieldValues };
  className?: string;
}

/** What every record has below its own facts: custom fields, files, and the timeline with comments. */
export function RecordParts({ kind, record: { id, fields }, className }: RecordPartsProps) {
  return (
    <div className={cx("[&>*]:border-t [&>*]:border-line [&>*]:pt-4 [&>*]:pb-6", className)}>
      <RecordFields kind={kind} id={id} values={fields} />
      <Files kind={kind} id={id} />
      <Timeline kind={kind} id={id} />
    </div>
  );
}
