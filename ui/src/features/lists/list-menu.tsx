import { ContactRound, CopyCheck, Ellipsis, FileInput, FileOutput, Printer } from "lucide-react";
import { useTranslation } from "react-i18next";
import { useNavigate } from "react-router";
import { download } from "@/api/download";
import { errorText } from "@/api/errors";
import { IconButton } from "@/components/icon-button";
import { Menu, MenuItem, MenuPopover } from "@/components/menu";
import { useMay } from "@/features/account/data";
import { toast } from "@/lib/toast";
import { useMenuTrigger } from "@/lib/use-menu-trigger";
import { asMerged, duplicatesPath, importedKinds, importPath, recordKinds } from "@/records/kinds";
import type { AnyList } from "./use-list";

/** Returns the address that imports records of a kind, for members who may. */
export function useImportPath(kind: AnyList["kind"]): string | undefined {
  const mayWrite = useMay(`${recordKinds[kind].name}.write`);
  return mayWrite ? importPath(kind) : undefined;
}

const exportFormats = { csv: "csv", vcard: "vcf" } as const;

/** Returns what exports the records of a list with its filters, for kinds that are exported. */
function useExport({ kind, request }: AnyList) {
  const { t } = useTranslation();
  const { name } = recordKinds[kind];
  if (!importedKinds.some((known) => known === kind)) return undefined;
  return async (format: keyof typeof exportFormats) => {
    const query = new URLSearchParams({ kind: name, format });
    if (request.q) query.set("q", request.q);
    for (const filter of request.filter) query.append("filter", filter);
    try {
      await download(`/api/exports?${query}`, `${t("ui.list.exportName")}.${exportFormats[format]}`);
    } catch (error) {
      toast.error(errorText(error));
    }
  };
}

/** What is rarely done with a list: import records into it, export it, find duplicates in it, and print it. */
export function ListMenu({ list }: { list: AnyList }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { button, menu } = useMenuTrigger();
  const importing = useImportPath(list.kind);
  const exportList = useExport(list);
  const merged = asMerged(list.kind);
  return (
    <>
      <IconButton label={t("ui.list.more")} icon={Ellipsis} size="sm" {...button} />
      {menu.isOpen && (
        <MenuPopover {...menu} placement="bottom end">
          <Menu aria-label={t("ui.list.more")}>
            {importing && (
              <MenuItem icon={<FileInput aria-hidden size={16} />} onAction={() => void navigate(importing)}>
                {t("ui.list.import")}
              </MenuItem>
            )}
            {exportList && (
              <MenuItem icon={<FileOutput aria-hidden size={16} />} onAction={() => void exportList("csv")}>
                {t("ui.list.exportCsv")}
              </MenuItem>
            )}
            {exportList && list.kind === "customer" && (
              <MenuItem icon={<ContactRound aria-hidden size={16} />} onAction={() => void exportList("vcard")}>
                {t("ui.list.exportVcard")}
              </MenuItem>
            )}
            {merged && (
              <MenuItem icon={<CopyCheck aria-hidden size={16} />} onAction={() => void navigate(duplicatesPath(merged))}>
                {t("ui.duplicates.find")}
              </MenuItem>
            )}
            {/* Once the menu has closed. */}
            <MenuItem icon={<Printer aria-hidden size={16} />} onAction={() => setTimeout(() => print())}>
              {t("ui.list.print")}
            </MenuItem>
          </Menu>
        </MenuPopover>
      )}
    </>
  );
}
