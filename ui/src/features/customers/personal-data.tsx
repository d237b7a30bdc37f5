import { FileOutput, UserX } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { download } from "@/api/download";
import { errorText } from "@/api/errors";
import type { Customer } from "@/api/schema";
import { MenuGroup, MenuItem } from "@/components/menu";
import { useMay } from "@/features/account/data";
import { toast } from "@/lib/toast";
import { EraseDialog } from "./erase-dialog";

/** Returns what administrators do with the data of a person, as menu items: export all of it, and delete it for good. */
export function usePersonalData(person: Customer, onGone: () => void) {
  const { t } = useTranslation();
  const mayExport = useMay("audit.read");
  const mayErase = useMay("bin.empty");
  const [asking, setAsking] = useState(false);
  const exportAll = () =>
    void download(`/api/customers/${person.id}/personal-data`, `${t("ui.customers.personal.file", { name: person.name })}.json`).catch(
      (error: unknown) => toast.error(errorText(error)),
    );
  const items = (mayExport || mayErase) && (
    <MenuGroup label={t("ui.customers.personal.data")}>
      {mayExport && (
        <MenuItem icon={<FileOutput aria-hidden size={16} />} onAction={exportAll}>
          {t("ui.customers.personal.export")}
        </MenuItem>
      )}
      {mayErase && (
        <MenuItem danger icon={<UserX aria-hidden size={16} />} onAction={() => setTimeout(() => setAsking(true))}>
          {t("ui.customers.personal.erase")}
        </MenuItem>
      )}
    </MenuGroup>
  );
  const dialog = asking && <EraseDialog person={person} onClose={() => setAsking(false)} onErased={onGone} />;
  return { items, dialog };
}
