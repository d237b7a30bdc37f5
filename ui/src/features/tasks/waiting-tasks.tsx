import { useTranslation } from "react-i18next";
import { WaitingEntries } from "@/components/waiting-entries";
import { type Entry, useEntries } from "@/records/outbox";

/** Tasks that were typed, and tasks that were completed or opened again, and that are not saved yet. */
export function WaitingTasks() {
  const { t } = useTranslation();
  const all = useEntries(({ entries }) => entries);
  const textOf = (entry: Entry) => {
    if (entry.kind === "task") return entry.input.title ?? "";
    if (entry.kind !== "completion") return "";
    const { title, completed } = entry.input;
    return `${title || t("ui.tasks.untitled")} · ${t(completed ? "ui.versions.completed" : "ui.versions.open")}`;
  };
  return (
    <WaitingEntries
      // A task that is being completed is shown in its own row.
      entries={all.filter(({ kind, state }) => kind === "task" || (kind === "completion" && state !== "sending"))}
      textOf={textOf}
      className="border-b border-line"
      rowClassName="px-4 sm:px-5"
    />
  );
}
