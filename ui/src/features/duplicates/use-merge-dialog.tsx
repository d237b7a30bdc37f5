import { type ReactNode, Suspense, useState } from "react";
import { useLocation, useNavigate } from "react-router";
import { lazyOnIdle } from "@/lib/lazy-on-idle";
import { type MergedKind, pathOfKind } from "@/records/kinds";
import { markRemoved, unmarkRemoved } from "@/records/removed";
import type { MergeDialogProps } from "./merge-dialog";

const MergeDialog = lazyOnIdle(() => import("./merge-dialog"));

interface Asked {
  id: string;
  otherId?: string;
}

/** The dialog that compares two records and merges them: what opens it, and the element. */
export function useMergeDialog(kind: MergedKind, handlers: Pick<MergeDialogProps, "onMerge" | "onRefused" | "onMerged"> = {}) {
  const [asked, setAsked] = useState<Asked>();
  const dialog: ReactNode = asked && (
    <Suspense>
      <MergeDialog kind={kind} {...asked} onClose={() => setAsked(undefined)} {...handlers} />
    </Suspense>
  );
  return { open: (id: string, otherId?: string) => setAsked(otherId === undefined ? { id } : { id, otherId }), dialog };
}

/** Returns the dialog of a record that is open beside its list: after a merge, the one that is kept is shown. */
export function useRecordMerge(kind: MergedKind, id: string) {
  const navigate = useNavigate();
  const { search, state } = useLocation();
  return useMergeDialog(kind, {
    // It is not read again while the other one is on its way.
    onMerge: (duplicateId) => duplicateId === id && markRemoved(id),
    onRefused: () => unmarkRemoved(id),
    onMerged: ({ keptId, duplicateId }) => {
      if (duplicateId !== id) return;
      void navigate(`${pathOfKind(kind)}/${keptId}${search}`, { replace: true, preventScrollReset: true, state });
    },
  });
}
