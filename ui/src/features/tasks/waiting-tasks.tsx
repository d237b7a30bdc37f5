import { CloudOff, X } from "lucide-react";
import { useTranslation } from "react-i18next";
import { IconButton } from "@/components/icon-button";
import { cx } from "@/lib/cx";
import { deliverEntries, discardEntry, useEntries } from "@/records/outbox";

/** Tasks that were typed and are not saved yet, below the field that they were typed into. */
export function WaitingTasks() {
  const { t } = useTranslation();
  const all = useEntries(({ entries }) => entries);
  const tasks = all.filter(({ kind }) => kind === "task");
  if (tasks.length === 0) return null;
  return (
    <ul aria-label={t("ui.tasks.waiting")} className="border-b border-line">
      {tasks.map(({ id, input, state, reason }) => (
        <li key={id} className="flex min-h-11 items-center gap-3 px-4 sm:px-5">
          <span aria-hidden className={cx("grid size-5.5 shrink-0 place-items-center", state === "sending" ? "invisible" : "text-muted")}>
            <CloudOff size={18} />
          </span>
          <span className="min-w-0 flex-1 items-baseline justify-between gap-3 py-1 sm:flex">
            <span dir="auto" className="block truncate text-soft">
              {input.title}
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
            <IconButton
              icon={X}
              size="sm"
              label={t("ui.action.removeNamed", { name: input.title ?? "" })}
              onClick={() => discardEntry(id)}
            />
          )}
        </li>
      ))}
    </ul>
  );
}
