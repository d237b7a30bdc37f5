import { useInfiniteQuery } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import type { Comment, TimelineEntry, TimelinePart } from "@/api/schema";
import { Button } from "@/components/button";
import { ConfirmDialog } from "@/components/confirm-dialog";
import { DayTitle } from "@/components/day-title";
import { ErrorState } from "@/components/error-state";
import { Segmented } from "@/components/segmented";
import { SkeletonRows } from "@/components/skeleton";
import { useMay } from "@/features/account/data";
import { cx } from "@/lib/cx";
import { isoDay } from "@/lib/zone";
import { useIsRemoved } from "@/records/removed";
import { CommentBox } from "./comment-box";
import { CommentEntry } from "./comment-entry";
import { type TimelineOf, timelineQuery, useCommentCalls } from "./data";
import { Entry } from "./entry";

const parts = ["all", "comments", "changes"] as const;

/** Groups entries, which are newest first, by the member's days. */
function byDay(entries: TimelineEntry[]): { day: string; entries: TimelineEntry[] }[] {
  const days: { day: string; entries: TimelineEntry[] }[] = [];
  for (const entry of entries) {
    const day = isoDay(new Date(entry.at));
    const last = days.at(-1);
    if (last?.day === day) last.entries.push(entry);
    else days.push({ day, entries: [entry] });
  }
  return days;
}

/** What happened to a record, newest first, and the comments on it, with a field for a new one. */
export function Timeline({ kind, id, className }: TimelineOf & { className?: string }) {
  const { t } = useTranslation();
  const record = { kind, id };
  const [part, setPart] = useState<(typeof parts)[number]>("all");
  const shown: TimelinePart | undefined = part === "all" ? undefined : part;
  const { data, error, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = useInfiniteQuery({
    ...timelineQuery(record, shown),
    enabled: !useIsRemoved(id),
  });
  const { remove, react } = useCommentCalls(record);
  const mayComment = useMay("comments.write");
  const [editing, setEditing] = useState<Comment>();
  const [removing, setRemoving] = useState<Comment>();
  const input = useRef<HTMLTextAreaElement>(null);
  const entries = data?.pages.flatMap(({ items }) => items) ?? [];
  const edit = (comment: Comment) => {
    setEditing(comment);
    requestAnimationFrame(() => input.current?.focus());
  };
  return (
    <section aria-labelledby={`timeline-${id}`} className={cx("no-print", className)}>
      <div className="mb-3 flex flex-wrap items-center justify-between gap-2">
        <h3 id={`timeline-${id}`} className="text-sm font-semibold text-ink">
          {t("ui.timeline.title")}
        </h3>
        <Segmented
          label={t("ui.timeline.show")}
          value={part}
          onChange={setPart}
          options={parts.map((value) => ({ value, label: t(`ui.timeline.parts.${value}`) }))}
        />
      </div>
      {mayComment && <CommentBox record={record} editing={editing} onEdited={() => setEditing(undefined)} input={input} />}
      {!data && error ? (
        <ErrorState error={error} onRetry={() => void refetch()} />
      ) : !data ? (
        <SkeletonRows className="py-4" />
      ) : entries.length === 0 ? (
        <p className="py-6 text-center text-muted">{t("ui.timeline.noComments")}</p>
      ) : (
        byDay(entries).map((group) => (
          <div key={group.day}>
            <p className="pt-5 pb-2 text-xs font-medium text-muted">
              <DayTitle day={group.day} />
            </p>
            <ol className="relative before:absolute before:inset-y-3.5 before:left-3.5 before:w-px before:bg-line">
              {group.entries.map((entry) => (
                <li key={entry.id} className="relative flex gap-3 pb-4">
                  {entry.comment ? (
                    <CommentEntry
                      comment={entry.comment}
                      onEdit={() => entry.comment && edit(entry.comment)}
                      onRemove={() => setRemoving(entry.comment)}
                      onReact={(emoji, on) => react.mutate({ id: entry.id, emoji, on })}
                    />
                  ) : (
                    <Entry kind={kind} entry={entry} />
                  )}
                </li>
              ))}
            </ol>
          </div>
        ))
      )}
      {hasNextPage && (
        <Button size="sm" busy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          {t("ui.timeline.older")}
        </Button>
      )}
      {removing && (
        <ConfirmDialog
          title={t("ui.timeline.removeTitle")}
          text={t("ui.timeline.removeText")}
          confirm={t("ui.timeline.remove")}
          isOpen
          onOpenChange={() => setRemoving(undefined)}
          onConfirm={() => {
            remove.mutate(removing.id);
            if (editing?.id === removing.id) setEditing(undefined);
          }}
        />
      )}
    </section>
  );
}
