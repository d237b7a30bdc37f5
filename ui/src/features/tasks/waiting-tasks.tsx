import { WaitingEntries } from "@/components/waiting-entries";
import { useEntries } from "@/records/outbox";

/** Tasks that were typed and are not saved yet, below the field that they were typed into. */
export function WaitingTasks() {
  const all = useEntries(({ entries }) => entries);
  return (
    <WaitingEntries
      entries={all.filter(({ kind }) => kind === "task")}
      textOf={(entry) => (entry.kind === "task" ? (entry.input.title ?? "") : "")}
      className="border-b border-line"
      rowClassName="px-4 sm:px-5"
    />
  );
}
