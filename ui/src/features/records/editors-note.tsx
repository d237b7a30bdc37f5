import { PencilLine } from "lucide-react";
import { useTranslation } from "react-i18next";
import type { RecordKind } from "@/api/schema";
import { useMembers } from "@/features/team/data";
import { cx } from "@/lib/cx";
import { listOf } from "@/lib/format";
import { useEditing } from "@/records/use-editing";

interface EditorsNoteProps {
  kind: RecordKind;
  /** Undefined for a new record. */
  recordId: string | undefined;
  /** Whether it is being edited here. */
  on?: boolean;
  className?: string;
}

/** Announces that the member edits a record, and names the others who do. */
export function EditorsNote({ kind, recordId, on = true, className }: EditorsNoteProps) {
  const { t } = useTranslation();
  const editors = useEditing(kind, recordId, on);
  const { find } = useMembers();
  const names = editors.flatMap((id) => find(id)?.name ?? []);
  return (
    <div role="status" className={cx(names.length === 0 && "sr-only", className)}>
      {names.length > 0 && (
        <p className="flex items-start gap-2 rounded-control bg-tint-soft px-3 py-2 text-sm text-on-tint">
          <PencilLine aria-hidden size={16} className="mt-0.5 shrink-0" />
          <span className="min-w-0 [overflow-wrap:anywhere]">
            {t("ui.versions.editors", { count: names.length, names: listOf(names) })}
          </span>
        </p>
      )}
    </div>
  );
}
