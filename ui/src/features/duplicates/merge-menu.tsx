import { Ellipsis, Merge as MergeIcon } from "lucide-react";
import { useTranslation } from "react-i18next";
import { IconButton } from "@/components/icon-button";
import { Menu, MenuItem, MenuPopover } from "@/components/menu";
import { useMay } from "@/features/account/data";
import { useMenuTrigger } from "@/lib/use-menu-trigger";
import { type MergedKind, recordKinds } from "@/records/kinds";
import { useRecordMerge } from "./use-merge-dialog";

/** What is rarely done with a record: merge it with another one. For members who may. */
export function MergeMenu({ kind, id }: { kind: MergedKind; id: string }) {
  const { t } = useTranslation();
  const mayWrite = useMay(`${recordKinds[kind].name}.write`);
  const { button, menu } = useMenuTrigger();
  const { open, dialog } = useRecordMerge(kind, id);
  if (!mayWrite) return null;
  return (
    <>
      <IconButton label={t("ui.list.more")} icon={Ellipsis} {...button} />
      {menu.isOpen && (
        <MenuPopover {...menu} placement="bottom end">
          <Menu aria-label={t("ui.list.more")}>
            <MenuItem icon={<MergeIcon aria-hidden size={16} />} onAction={() => open(id)}>
              {t("ui.duplicates.mergeWith")}
            </MenuItem>
          </Menu>
        </MenuPopover>
      )}
      {dialog}
    </>
  );
}
