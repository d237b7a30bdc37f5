import { useInfiniteQuery } from "@tanstack/react-query";
import { Merge as MergeIcon, Undo2 } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import type { Merge } from "@/api/schema";
import { Button } from "@/components/button";
import { EmptyState } from "@/components/empty-state";
import { ErrorState } from "@/components/error-state";
import { MoreRows } from "@/components/more-rows";
import { Sentence, slot } from "@/components/sentence";
import { SkeletonRows } from "@/components/skeleton";
import { StatusPill } from "@/components/status-pill";
import { useMay, useUser } from "@/features/account/data";
import { useMembers } from "@/features/team/data";
import { ago, longDate } from "@/lib/format";
import { type MergedKind, pathOfKind, recordKinds } from "@/records/kinds";
import { isInProgress, mergesQuery } from "./data";
import { leftText, undoMerge } from "./merge-work";

function Row({ kind, merge }: { kind: MergedKind; merge: Merge }) {
  const { t } = useTranslation();
  const { find } = useMembers();
  const me = useUser();
  const mayWrite = useMay(`${recordKinds[kind].name}.write`);
  const mayDelete = useMay(`${recordKinds[kind].name}.delete`);
  const [isBusy, setBusy] = useState(false);
  const { state, keptId, keptTitle, duplicateTitle, createdAt, createdBy, undoableUntil } = merge;
  const by = find(createdBy)?.name;
  const isSame = duplicateTitle === keptTitle;
  const isUndoable = undoableUntil !== undefined && Date.parse(undoableUntil) > Date.now();
  const mayUndo = mayWrite && (mayDelete || createdBy === me.id);
  const undo = () => {
    setBusy(true);
    void undoMerge(merge).finally(() => setBusy(false));
  };
  const left = state === "undone" ? leftText(merge) : "";
  return (
    <li data-item className="flex flex-wrap items-center gap-x-4 gap-y-2 border-b border-hover px-5 py-3 last:border-0">
      <div className="min-w-40 flex-1">
        <p className="flex flex-wrap items-center gap-x-2.5 gap-y-1">
          <span className="min-w-0 text-ink [overflow-wrap:anywhere]">
            <Sentence
              text={t(
                state === "running" ? "ui.duplicates.mergingInto" : isSame ? "ui.duplicates.mergedSame" : "ui.duplicates.mergedInto",
                {
                  duplicate: slot("duplicate"),
                  kept: slot("kept"),
                },
              )}
              slots={{
                duplicate: <span dir="auto">{duplicateTitle}</span>,
                kept: (
                  <Link to={`${pathOfKind(kind)}/${keptId}`} dir="auto" className="font-medium hover:underline pointer-coarse:py-3.5">
                    {keptTitle}
                  </Link>
                ),
              }}
            />
          </span>
          {state !== "done" && <StatusPill tone={isInProgress(merge) ? "accent" : "off"}>{t(`ui.duplicates.states.${state}`)}</StatusPill>}
        </p>
        <p className="text-sm text-muted">
          <time dateTime={createdAt} title={longDate(createdAt)}>
            {by ? t("ui.duplicates.mergedBy", { name: by, ago: ago(createdAt) }) : t("ui.duplicates.mergedAgo", { ago: ago(createdAt) })}
          </time>
        </p>
        {left && <p className="mt-1 text-sm text-soft">{left}</p>}
      </div>
      {mayUndo && isUndoable && !isInProgress(merge) && (
        <Button
          size="sm"
          icon={Undo2}
          busy={isBusy}
          aria-label={t("ui.duplicates.undoNamed", { duplicate: duplicateTitle, kept: keptTitle })}
          onClick={undo}
        >
          {t("ui.duplicates.undo")}
        </Button>
      )}
    </li>
  );
}

/** Merges of the last 30 days, which can be undone. */
export function MergedList({ kind }: { kind: MergedKind }) {
  const { t } = useTranslation();
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery(mergesQuery(kind));
  if (!data) return error ? <ErrorState error={error} onRetry={() => void refetch()} /> : <SkeletonRows rows={4} className="p-5" />;
  const merges = data.pages.flatMap(({ items }) => items);
  if (merges.length === 0)
    return <EmptyState icon={MergeIcon} title={t("ui.duplicates.noMerges")} text={t("ui.duplicates.noMergesText")} />;
  return (
    <>
      <p className="border-b border-hover px-5 py-2.5 text-sm text-muted">{t("ui.duplicates.mergedLead")}</p>
      <ul aria-label={t("ui.duplicates.shows.merged")}>
        {merges.map((merge) => (
          <Row key={merge.id} kind={kind} merge={merge} />
        ))}
      </ul>
      {hasNextPage && <MoreRows label={t("ui.action.more")} busy={isFetchingNextPage} onMore={() => void fetchNextPage()} />}
    </>
  );
}
