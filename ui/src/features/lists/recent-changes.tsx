import { useInfiniteQuery } from "@tanstack/react-query";
import { History } from "lucide-react";
import { useTranslation } from "react-i18next";
import type { BulkChange } from "@/api/schema";
import { Button } from "@/components/button";
import { Dialog } from "@/components/dialog";
import { EmptyState } from "@/components/empty-state";
import { ErrorState } from "@/components/error-state";
import { SkeletonRows } from "@/components/skeleton";
import { useMay } from "@/features/account/data";
import { useMembers } from "@/features/team/data";
import { ago, formatNumber, longDate } from "@/lib/format";
import { recordKinds } from "@/records/kinds";
import { undoBulkChange, undoSkipsText, useBulkWork } from "./bulk-work";
import { bulkCalls, bulkChangesQuery } from "./data";
import type { AnyList } from "./use-list";

function Row({ change, onChanged }: { change: BulkChange; onChanged: () => void }) {
  const { t } = useTranslation();
  const { find } = useMembers();
  const isBusy = useBulkWork((work) => work.change !== undefined);
  const { createdBy, createdAt, changed: count, remove, state, undone, undoSkipped } = change;
  const who = (createdBy && find(createdBy)?.name) ?? t("ui.list.bulk.someone");
  const what = t(`ui.list.bulk.${remove ? "didRemove" : "didChange"}`, { who, count, total: formatNumber(count) });
  const mayTryAgain = state === "undone" && undoSkipped > 0;
  const mayUndo = mayTryAgain || ((state === "done" || state === "stopped") && undone < count);
  return (
    <li className="flex items-center gap-3 border-b border-hover py-2.5 last:border-0">
      <div className="min-w-0 flex-1">
        <p className="font-medium text-ink [overflow-wrap:anywhere]">{what}</p>
        <p className="text-sm text-muted">
          <span title={longDate(createdAt)}>{ago(createdAt)}</span>
          {` · ${t(`ui.list.bulk.states.${state}`)}`}
        </p>
        {undoSkipped > 0 && <p className="text-sm text-muted">{undoSkipsText(change)}</p>}
      </div>
      {state === "running" && (
        <Button
          size="sm"
          aria-label={t("ui.list.bulk.stopNamed", { what })}
          onClick={() => void bulkCalls.stop(change.id).then(onChanged, onChanged)}
        >
          {t("ui.list.bulk.stop")}
        </Button>
      )}
      {mayUndo && (
        <Button
          size="sm"
          disabled={isBusy}
          aria-label={t(mayTryAgain ? "ui.list.bulk.retryNamed" : "ui.list.bulk.undoNamed", { what })}
          onClick={() => void undoBulkChange(change).then(onChanged)}
        >
          {t(mayTryAgain ? "ui.action.retry" : "ui.action.undo")}
        </Button>
      )}
    </li>
  );
}

/** The bulk changes of a list's records that can still be undone: the member's own, or those of all for administrators. */
export function RecentChanges({ list, onClose }: { list: AnyList; onClose: () => void }) {
  const { t } = useTranslation();
  const seesAll = useMay("audit.read");
  const { data, error, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = useInfiniteQuery(
    bulkChangesQuery(recordKinds[list.kind].name),
  );
  const changes = data?.pages.flatMap(({ items }) => items);
  const content = () => {
    if (!changes) return error ? <ErrorState error={error} onRetry={() => void refetch()} /> : <SkeletonRows rows={4} />;
    if (changes.length === 0)
      return <EmptyState icon={History} title={t("ui.list.bulk.recentEmpty")} text={t("ui.list.bulk.recentEmptyText")} />;
    return (
      <>
        <p className="mb-2 text-sm text-muted">{t(seesAll ? "ui.list.bulk.recentLeadAll" : "ui.list.bulk.recentLead")}</p>
        <ul aria-label={t("ui.list.bulk.recent")}>
          {changes.map((change) => (
            <Row key={change.id} change={change} onChanged={() => void refetch()} />
          ))}
        </ul>
        {hasNextPage && (
          <Button size="sm" wide busy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            {t("ui.action.more")}
          </Button>
        )}
      </>
    );
  };
  return (
    <Dialog title={t("ui.list.bulk.recent")} isOpen onOpenChange={onClose}>
      {content()}
    </Dialog>
  );
}
