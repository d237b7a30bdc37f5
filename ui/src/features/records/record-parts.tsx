import type { FieldValues, Stamped } from "@/api/schema";
import { FileViewer } from "@/features/content/file-viewer";
import { Files } from "@/features/record-parts/files";
import { Links } from "@/features/record-parts/links";
import { Timeline } from "@/features/record-parts/timeline";
import { cx } from "@/lib/cx";
import type { CreatedKind } from "@/records/kinds";
import { RecordFields } from "./record-fields";

export interface RecordPartsProps {
  kind: CreatedKind;
  record: Stamped & { fields: FieldValues };
  /** Only what belongs to the record, or what happened to it; otherwise both. */
  only?: "related" | "timeline";
  className?: string;
}

/** What every record has beside its own facts: custom fields, links, files, and the timeline with comments. */
export function RecordParts({ kind, record, only, className }: RecordPartsProps) {
  const { id } = record;
  return (
    <FileViewer>
      <div className={cx("[&>*]:border-t [&>*]:border-line [&>*]:pt-4 [&>*]:pb-6", className)}>
        {only !== "timeline" && (
          <>
            <RecordFields kind={kind} record={record} />
            <Links kind={kind} id={id} />
            <Files kind={kind} id={id} />
          </>
        )}
        {only !== "related" && <Timeline kind={kind} id={id} />}
      </div>
    </FileViewer>
  );
}
