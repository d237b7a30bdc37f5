import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { formatNumber } from "@/lib/format";
import { stopBulkChange, useBulkWork } from "./bulk-work";

/** How far the bulk change in progress is, on every screen. */
export function BulkProgress() {
  const { t } = useTranslation();
  const change = useBulkWork((work) => work.change);
  if (!change) return null;
  const label = t(`ui.list.bulk.${change.state === "undoing" ? "undoing" : change.remove ? "removing" : "changing"}`);
  return (
    <section
      aria-label={label}
      className="no-print fixed inset-x-4 bottom-4 z-[998] mx-auto flex max-w-105 items-center gap-3 rounded-xl border border-line bg-surface px-4 py-3 shadow-panel"
    >
      <div className="min-w-0 flex-1">
        <p className="truncate text-sm font-medium text-ink">{label}</p>
        <progress
          aria-label={label}
          className="mt-1.5 block h-1.5 w-full"
          value={change.done}
          max={change.total}
          hidden={change.state === "undoing"}
        />
        <p className="mt-1 text-[12.5px] text-muted tabular-nums">
          {change.state === "undoing"
            ? t("ui.list.bulk.undoneSoFar", { done: formatNumber(change.undone), total: formatNumber(change.changed) })
            : t("ui.list.bulk.doneSoFar", { done: formatNumber(change.done), total: formatNumber(change.total) })}
        </p>
      </div>
      {change.state === "running" && (
        <Button size="sm" onClick={() => void stopBulkChange(change)}>
          {t("ui.list.bulk.stop")}
        </Button>
      )}
    </section>
  );
}
