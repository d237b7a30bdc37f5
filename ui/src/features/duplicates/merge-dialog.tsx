import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { Merge } from "@/api/schema";
import { Button } from "@/components/button";
import { Dialog } from "@/components/dialog";
import { ErrorState } from "@/components/error-state";
import { RecordSelect } from "@/components/record-select";
import { SkeletonRows } from "@/components/skeleton";
import { recordQuery } from "@/records/data";
import type { MergedKind } from "@/records/kinds";
import { cardOf } from "@/records/record-titles";
import { useComparison } from "./comparison";
import { duplicatesOfQuery } from "./data";
import { DuplicateChoice } from "./duplicate-choice";

export interface MergeDialogProps {
  kind: MergedKind;
  id: string;
  /** The record that it is compared with; without it, one is chosen first. */
  otherId?: string | undefined;
  onClose: () => void;
  /** Called before a record is merged away. */
  onMerge?: (duplicateId: string) => void;
  onRefused?: () => void;
  /** Called as soon as the server has accepted the merge. */
  onMerged?: (merge: Merge) => void;
}

/** Chooses the record that another one is merged with: one that looks like it, or any. */
function Choice({ kind, id, onChoose }: { kind: MergedKind; id: string; onChoose: (id: string) => void }) {
  const { t } = useTranslation();
  const { data: duplicates = [] } = useQuery(duplicatesOfQuery(kind, id));
  const [isSame, setSame] = useState(false);
  return (
    <>
      <RecordSelect
        kind={kind}
        label={t(`ui.duplicates.choose.${kind}`)}
        value={null}
        placeholder={t("ui.duplicates.typeName")}
        onChange={(chosen) => {
          setSame(chosen === id);
          if (chosen && chosen !== id) onChoose(chosen);
        }}
        error={isSame ? t("ui.duplicates.chooseOther") : undefined}
      />
      {duplicates.length > 0 && <DuplicateChoice duplicates={duplicates} onChoose={onChoose} />}
    </>
  );
}

/** Compares two records field by field and merges them. */
export default function MergeDialog({ kind, id, onClose, otherId: known, onMerge, onRefused, onMerged }: MergeDialogProps) {
  const { t } = useTranslation();
  /** Whether one of the records is being merged away: it is not read again. */
  const [isMerging, setMerging] = useState(false);
  const [chosen, setChosen] = useState<string>();
  const otherId = known ?? chosen;
  const one = useQuery({ ...recordQuery(kind, id), enabled: !isMerging, staleTime: 0 });
  const other = useQuery({ ...recordQuery(kind, otherId ?? ""), enabled: !isMerging && otherId !== undefined, staleTime: 0 });
  const records = one.data && other.data && ([one.data, other.data] as const);
  const comparison = useComparison({
    kind,
    records,
    onClose,
    ...(onMerged && { onMerged }),
    onMerge: (duplicateId) => {
      setMerging(true);
      onMerge?.(duplicateId);
    },
    onRefused: () => {
      setMerging(false);
      onRefused?.();
    },
  });
  const error = one.error ?? other.error;
  const retry = () => {
    void one.refetch();
    void other.refetch();
  };
  const isChoosing = otherId === undefined;
  const content = () => {
    if (isChoosing) return <Choice kind={kind} id={id} onChoose={setChosen} />;
    if (comparison) return comparison.content;
    return error ? <ErrorState error={error} onRetry={retry} /> : <SkeletonRows rows={6} />;
  };
  return (
    <Dialog
      title={
        isChoosing ? t("ui.duplicates.mergeNamed", { title: one.data ? cardOf(one.data).title : "" }) : t(`ui.duplicates.compare.${kind}`)
      }
      isOpen
      onOpenChange={onClose}
      {...(!isChoosing && { className: "sm:!max-w-210" })}
      footer={comparison?.footer ?? <Button onClick={onClose}>{t("ui.action.cancel")}</Button>}
    >
      {content()}
    </Dialog>
  );
}
