import { useEffect } from "react";
import { announceEditing } from "@/api/live";
import { useSession } from "@/api/session";
import { useEditorsOf } from "@/records/editors";

/** Announces that a record is being edited here, and returns the other members who edit it. */
export function useEditing(kind: string, recordId: string | undefined, on = true): string[] {
  const me = useSession((state) => state.user?.id);
  const edits = on && recordId !== undefined;
  useEffect(() => (edits ? announceEditing({ kind, recordId }) : undefined), [kind, recordId, edits]);
  const members = useEditorsOf({ kind, recordId: recordId ?? "" });
  return edits ? members.filter((id) => id !== me) : [];
}
