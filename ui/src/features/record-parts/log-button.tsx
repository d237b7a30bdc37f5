import { NotebookPen } from "lucide-react";
import { IconButton } from "@/components/icon-button";
import { useMay } from "@/features/account/data";
import { addEntry, type NamedContact } from "./logging";
import { useLogText } from "./use-log-text";

export interface LogButtonProps {
  record: NamedContact;
}

/** Logs an activity on a record of a table, at the end of its title. */
export function LogButton({ record }: LogButtonProps) {
  const label = useLogText(record);
  if (!useMay("comments.write")) return null;
  return <IconButton label={label} icon={NotebookPen} size="sm" onClick={() => addEntry(record)} className="z-1 -my-1.5" />;
}
