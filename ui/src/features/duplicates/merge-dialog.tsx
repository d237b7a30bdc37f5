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
import { Comparison } from "./comparison";
import { duplicatesOfQuery } from "./data";
import { DuplicateChoice } from "./duplicate-choice";

export interface MergeDialogProps {
  kind: MergedKind;
  id: string;
  /** The record that it is compared with; without it, one is chosen first. */
  otherId?: string | undefined;
  onClose: () => void;
  /** Called as soon as the server has accepted the merge. */
  onMerged?: (merge: Merge) => void;
}

/** Chooses the record that another one is merged with: one that looks like it, or any. */
function Choice({ kind, id, onChoose, onClose }: { kind: MergedKind; id: string; onChoose: (id: string) => void; onClose: () => void }) {
  const { t } = useTranslation();
  const { data: record } = useQuery(recordQuery(kind, id));
  const { data: duplicates = [] } = useQuery(duplicatesOfQuery(kind, id));
  const [isSame, setSame] = useState(false);
  const title = record ? cardOf(record).title : "";
  return (
    <Dialog
      title={t("ui.duplicates.mergeNamed", { title })}
      isOpen
      onOpenChange={onClose}
      footer={<Button onClick={onClose}>{t("ui.action.cancel")}</Button>}
    >
      <RecordSelect
        kind={kind}
        label={t(`ui.duplicates.choose.${kind}`)}
        value={null}
        onChange={(chosen) => {
          setSame(chosen === id);
          if (chosen && chosen !== id) onChoose(chosen);
        }}
        error={isSame ? t("ui.duplicates.chooseOther") : undefined}
      />
      {duplicates.length > 0 && <DuplicateChoice duplicates={duplicates} onChoose={onChoose} />}
    </Dialog>
  );
}

/** Compares two records field by field and merges them. */
export default function MergeDialog(props: MergeDialogProps) {
  const { kind, id, onClose } = props;
  const { t } = useTranslation();
  const [chosen, setChosen] = useState<string>();
  const otherId = props.otherId ?? chosen;
  const one = useQuery({ ...recordQuery(kind, id), staleTime: 0 });
  const other = useQuery({ ...recordQuery(kind, otherId ?? ""), enabled: otherId !== undefined, staleTime: 0 });
  if (otherId === undefined) return <Choice kind={kind} id={id} onChoose={setChosen} onClose={onClose} />;
  if (one.data && other.data) return <Comparison {...props} records={[one.data, other.data]} />;
  const error = one.error ?? other.error;
  const retry = () => {
    void one.refetch();
    void other.refetch();
  };
  return (
    <Dialog title={t(`ui.duplicates.compare.${kind}`)} isOpen onOpenChange={onClose} className="sm:!max-w-210">
      {error ? <ErrorState error={error} onRetry={retry} /> : <SkeletonRows rows={6} />}
    </Dialog>
  );
}
