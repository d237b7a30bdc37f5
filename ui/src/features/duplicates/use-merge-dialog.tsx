import { type ReactNode, Suspense, useState } from "react";
import { useLocation, useNavigate } from "react-router";
import type { Merge } from "@/api/schema";
import { lazyOnIdle } from "@/lib/lazy-on-idle";
import { type MergedKind, pathOfKind } from "@/records/kinds";
import { markRemoved } from "@/records/removed";

const MergeDialog = lazyOnIdle(() => import("./merge-dialog"));

interface Asked {
  id: string;
  otherId?: string;
}

/** The dialog that compares two records and merges them: what opens it, and the element. */
export function useMergeDialog(kind: MergedKind, onMerged?: (merge: Merge) => void) {
  const [asked, setAsked] = useState<Asked>();
  const dialog: ReactNode = asked && (
    <Suspense>
      <MergeDialog kind={kind} {...asked} onClose={() => setAsked(undefined)} {...(onMerged && { onMerged })} />
    </Suspense>
  );
  return { open: (id: string, otherId?: string) => setAsked(otherId === undefined ? { id } : { id, otherId }), dialog };
}

/** Returns the dialog of a record that is open beside its list: after a merge, the one that is kept is shown. */
export function useRecordMerge(kind: MergedKind, id: string) {
  const navigate = useNavigate();
  const { search, state } = useLocation();
  return useMergeDialog(kind, ({ keptId, duplicateId }) => {
    if (duplicateId !== id) return;
    // It is not read again while the other one is on its way.
    markRemoved(id);
    void navigate(`${pathOfKind(kind)}/${keptId}${search}`, { replace: true, preventScrollReset: true, state });
  });
}
