import { CloudOff, X } from "lucide-react";
import { useTranslation } from "react-i18next";
import { IconButton } from "@/components/icon-button";
import { twoLinesOnPhones } from "@/components/two-lines";
import { cx } from "@/lib/cx";
import { deliverEntries, discardEntry, type Entry } from "@/records/outbox";

export interface WaitingEntriesProps {
  entries: Entry[];
  /** What names an entry in its row. */
  textOf: (entry: Entry) => string;
  className?: string;
  rowClassName?: string;
}

/** What was typed and is not saved yet, below the field that it was typed into. */
export function WaitingEntries({ entries, textOf, className, rowClassName }: WaitingEntriesProps) {
  const { t } = useTranslation();
  if (entries.length === 0) return null;
  return (
    <ul aria-label={t("ui.tasks.waiting")} className={className}>
      {entries.map((entry) => {
        const { id, state, reason } = entry;
        const text = textOf(entry);
        return (
          <li key={id} className={cx("flex min-h-11 items-center gap-3", rowClassName)}>
            <span aria-hidden className={cx("grid size-5.5 shrink-0 place-items-center", state === "sending" ? "invisible" : "text-muted")}>
              <CloudOff size={18} />
            </span>
            <span className="min-w-0 flex-1 items-baseline justify-between gap-3 py-1 sm:flex">
              <span dir="auto" className={cx("block text-soft", twoLinesOnPhones)}>
                {text}
              </span>
              <span role="status" className={cx("block shrink-0 text-sm", state === "refused" ? "text-bad" : "text-muted")}>
                {state === "refused" ? reason : t(state === "sending" ? "ui.tasks.saving" : "ui.tasks.waits")}
              </span>
            </span>
            {state === "waiting" && (
              <button
                type="button"
                onClick={() => void deliverEntries()}
                className="fingertip relative rounded text-sm font-semibold underline"
              >
                {t("ui.action.retry")}
              </button>
            )}
            {state !== "sending" && (
              <IconButton icon={X} size="sm" label={t("ui.action.removeNamed", { name: text })} onClick={() => discardEntry(id)} />
            )}
          </li>
        );
      })}
    </ul>
  );
}
