import { CopyCheck, Ellipsis, FileInput, FileOutput, History, Printer } from "lucide-react";
import { type ReactNode, useState } from "react";
import { useTranslation } from "react-i18next";
import { useNavigate } from "react-router";
import { IconButton } from "@/components/icon-button";
import { Menu, MenuItem, MenuPopover } from "@/components/menu";
import { useMay } from "@/features/account/data";
import { useAtLeast } from "@/lib/media";
import { useMenuTrigger } from "@/lib/use-menu-trigger";
import { asMerged, duplicatesPath, importedKinds, importPath, recordKinds } from "@/records/kinds";
import { ColumnsPopover, useColumnsTitle } from "./columns-menu";
import { ExportDialog } from "./export-dialog";
import { RecentChanges } from "./recent-changes";
import type { AnyList } from "./use-list";

/** Returns the address that imports records of a kind, for members who may. */
export function useImportPath(kind: AnyList["kind"]): string | undefined {
  const mayWrite = useMay(`${recordKinds[kind].name}.write`);
  return mayWrite ? importPath(kind) : undefined;
}

/** What is rarely done with a list: import records into it, export it, find duplicates in it, and print it. On
 * phones, also what the screen has no room for. */
export function ListMenu({ list, children }: { list: AnyList; children?: ReactNode }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { button, menu } = useMenuTrigger();
  const importing = useImportPath(list.kind);
  const [isExporting, setExporting] = useState(false);
  const hasRoom = useAtLeast("sm");
  const [isChoosing, setChoosing] = useState(false);
  const columns = useColumnsTitle(list);
  const mayChange = useMay(`${recordKinds[list.kind].name}.write`);
  const [isRecent, setRecent] = useState(false);
  const isExported = importedKinds.some((known) => known === list.kind);
  const merged = asMerged(list.kind);
  return (
    <>
      <IconButton label={t("ui.list.more")} icon={Ellipsis} size="sm" {...button} />
      {menu.isOpen && (
        <MenuPopover {...menu} placement="bottom end">
          <Menu aria-label={t("ui.list.more")}>
            {!hasRoom && children}
            {!hasRoom && (
              <MenuItem icon={<columns.icon aria-hidden size={16} />} onAction={() => setTimeout(() => setChoosing(true))}>
                {columns.title}
              </MenuItem>
            )}
            {importing && (
              <MenuItem icon={<FileInput aria-hidden size={16} />} onAction={() => void navigate(importing)}>
                {t("ui.list.import")}
              </MenuItem>
            )}
            {isExported && (
              <MenuItem icon={<FileOutput aria-hidden size={16} />} onAction={() => setExporting(true)}>
                {t("ui.list.export.open")}
              </MenuItem>
            )}
            {merged && (
              <MenuItem icon={<CopyCheck aria-hidden size={16} />} onAction={() => void navigate(duplicatesPath(merged))}>
                {t("ui.duplicates.find")}
              </MenuItem>
            )}
            {mayChange && (
              <MenuItem icon={<History aria-hidden size={16} />} onAction={() => setRecent(true)}>
                {t("ui.list.bulk.recentOpen")}
              </MenuItem>
            )}
            {/* Once the menu has closed. */}
            <MenuItem icon={<Printer aria-hidden size={16} />} onAction={() => setTimeout(() => print())}>
              {t("ui.list.print")}
            </MenuItem>
          </Menu>
        </MenuPopover>
      )}
      {!hasRoom && <ColumnsPopover list={list} triggerRef={menu.triggerRef} isOpen={isChoosing} onOpenChange={setChoosing} />}
      {isRecent && <RecentChanges list={list} onClose={() => setRecent(false)} />}
      {isExporting && <ExportDialog list={list} onClose={() => setExporting(false)} />}
    </>
  );
}
