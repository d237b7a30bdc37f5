import { Merge as MergeIcon } from "lucide-react";
import { useTranslation } from "react-i18next";
import { MenuItem } from "@/components/menu";
import { useMay } from "@/features/account/data";
import { RecordMenu } from "@/features/records/record-menu";
import { type MergedKind, recordKinds } from "@/records/kinds";
import { useRecordMerge } from "./use-merge-dialog";

/** Returns the menu item that merges a record with another one, for members who may, and its dialog. */
export function useMergeItem(kind: MergedKind, id: string) {
  const { t } = useTranslation();
  const mayWrite = useMay(`${recordKinds[kind].name}.write`);
  const { open, dialog } = useRecordMerge(kind, id);
  const item = mayWrite && (
    <MenuItem icon={<MergeIcon aria-hidden size={16} />} onAction={() => setTimeout(() => open(id))}>
      {t("ui.duplicates.mergeWith")}
    </MenuItem>
  );
  return { item, dialog };
}

/** The menu of a record that can only be merged. */
export function MergeMenu({ kind, id }: { kind: MergedKind; id: string }) {
  const { item, dialog } = useMergeItem(kind, id);
  return (
    <>
      {item && <RecordMenu>{item}</RecordMenu>}
      {dialog}
    </>
  );
}
