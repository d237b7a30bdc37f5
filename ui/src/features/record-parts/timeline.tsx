import { useInfiniteQuery } from "@tanstack/react-query";
import { useEffect, useEffectEvent, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import type { Comment, TimelineEntry, TimelinePart } from "@/api/schema";
import { Button } from "@/components/button";
import { ConfirmDialog } from "@/components/confirm-dialog";
import { DayTitle } from "@/components/day-title";
import { ErrorState } from "@/components/error-state";
import { Segmented } from "@/components/segmented";
import { SkeletonRows } from "@/components/skeleton";
import { useMay, useUser } from "@/features/account/data";
import { revisionOf, useRevision } from "@/features/content/draft";
import { cx } from "@/lib/cx";
import { isoDay } from "@/lib/zone";
import { useIsRemoved } from "@/records/removed";
import type { TimelineOf } from "@/records/timelines";
import { hasActivities, useEntryDraft } from "./activities";
import { ActivityEntry } from "./activity-entry";
import { CommentBox } from "./comment-box";
import { CommentEntry } from "./comment-entry";
import { timelineQuery, useCommentCalls } from "./data";
import { Entry } from "./entry";
import { type EntryType, registerComposer } from "./logging";
import { NewEntry, type NewEntryProps } from "./new-entry";
import { WaitingParts } from "./waiting-parts";

const parts = ["all", "activities", "comments", "changes"] as const;

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

interface EntryComposerProps extends Pick<NewEntryProps, "record" | "comment"> {
  isEditing: boolean;
  stopEditing: () => void;
  onCompose: (() => void) | undefined;
}

/** The field for a comment on a record, or what adds an activity or a task to it. */
function EntryComposer({ record, comment, isEditing, stopEditing, onCompose }: EntryComposerProps) {
  const { id: me } = useUser();
  const [draft, setDraft] = useEntryDraft(me, record);
  const [asked, setAsked] = useState(0);
  // A comment is edited in the field for comments.
  const shown = isEditing ? { ...draft, type: undefined } : draft;
  const change: NewEntryProps["onDraft"] = (patch) => {
    if (patch.type) stopEditing();
    setDraft(patch);
  };
  const show = useEffectEvent((type: EntryType | undefined) => {
    onCompose?.();
    // Calls are logged most often.
    change({ type: type ?? draft.type ?? "call" });
    setAsked(asked + 1);
  });
  useEffect(() => registerComposer(record.id, (type) => show(type)), [record.id]);
  return <NewEntry record={record} draft={shown} onDraft={change} comment={comment} asked={asked} />;
}

export interface TimelineProps extends TimelineOf {
  className?: string;
  /** Shows the timeline, before its composer opens from elsewhere. */
  onCompose?: (() => void) | undefined;
}

/** What happened to a record, newest first, and the comments on it, with a field for a new one. */
export function Timeline({ kind, id, className, onCompose }: TimelineProps) {
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
  const { id: me } = useUser();
  const [editing, setEditing] = useRevision(me, `comment.${id}`);
  const [removing, setRemoving] = useState<Comment>();
  const input = useRef<HTMLTextAreaElement>(null);
  const entries = data?.pages.flatMap(({ items }) => items) ?? [];
  const edit = (comment: Comment) => {
    setEditing(revisionOf(comment));
    requestAnimationFrame(() => input.current?.focus());
  };
  const isContact = hasActivities(record);
  const offered = parts.filter((value) => value !== "activities" || isContact);
  const box = <CommentBox record={record} editing={editing} onEditing={setEditing} input={input} />;
  return (
    <section aria-labelledby={`timeline-${id}`} className={cx("no-print", className)}>
      <h3 id={`timeline-${id}`} className="flex min-h-8.5 items-center text-sm font-semibold text-ink in-[[data-zone]]:sr-only">
        {t("ui.timeline.title")}
      </h3>
      {mayComment &&
        (isContact ? (
          <EntryComposer
            record={record}
            comment={box}
            isEditing={editing !== undefined}
            stopEditing={() => setEditing(undefined)}
            onCompose={onCompose}
          />
        ) : (
          box
        ))}
      <WaitingParts record={record} />
      <Segmented
        label={t("ui.timeline.show")}
        className={cx("flex-wrap", mayComment && "mt-4")}
        value={part}
        onChange={setPart}
        options={offered.map((value) => ({ value, label: t(`ui.timeline.parts.${value}`) }))}
      />
      {!data && error ? (
        <ErrorState error={error} onRetry={() => void refetch()} />
      ) : !data ? (
        <SkeletonRows className="py-4" />
      ) : entries.length === 0 ? (
        <p className="py-6 text-center text-muted">{t(part === "activities" ? "ui.timeline.noActivities" : "ui.timeline.noComments")}</p>
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
                  ) : entry.activity ? (
                    <ActivityEntry record={record} activity={entry.activity} />
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
