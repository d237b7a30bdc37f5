import { NotebookPen } from "lucide-react";
import { useTranslation } from "react-i18next";
import { IconButton } from "@/components/icon-button";
import { useMay } from "@/features/account/data";
import { type ContactOf, useLogging } from "./activities";

export interface LogButtonProps {
  record: ContactOf & { name: string };
  /** Whether it is in a row of a table, where it appears with the pointer or the focus. */
  inRow?: boolean;
}

/** Opens the dialog that logs an activity on a record of a list. */
export function LogButton({ record, inRow }: LogButtonProps) {
  const { t } = useTranslation();
  if (!useMay("comments.write")) return null;
  const label = t("ui.activities.logWith", { name: record.name });
  const open = () => useLogging.setState({ record });
  if (inRow) {
    return (
      <IconButton
        label={label}
        icon={NotebookPen}
        size="sm"
        onClick={open}
        className="-my-1.5 opacity-0 focus-visible:opacity-100 pointer-coarse:opacity-100 [tr:hover_&]:opacity-100"
      />
    );
  }
  return (
    <button type="button" aria-label={label} onClick={open} className="no-print -my-1.5 flex min-h-11 items-center gap-1.5">
      <NotebookPen aria-hidden size={14} className="shrink-0 text-muted" />
      {t("ui.activities.logShort")}
    </button>
  );
}
