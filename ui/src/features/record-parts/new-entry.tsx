import { useQueryClient } from "@tanstack/react-query";
import { CalendarPlus, CircleCheck, type LucideIcon, MessageSquare } from "lucide-react";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { errorText } from "@/api/errors";
import { isOffline } from "@/api/live";
import type { ActivityType } from "@/api/schema";
import { useMay, useUser } from "@/features/account/data";
import { cx } from "@/lib/cx";
import { bringIntoView } from "@/lib/into-view";
import { toast } from "@/lib/toast";
import { openedState } from "@/records/kinds";
import { addEntry, startEntries } from "@/records/outbox";
import { activityTypes, type EntryDraft, inputOf, isTyped, noValues, readEntryDraft } from "./activities";
import { ActivityForm } from "./activity-form";
import { activityIcons } from "./activity-icons";
import { useNewEventPath } from "./concerned";
import { type ContactOf, type EntryType, endOffer } from "./logging";
import { NewTask } from "./new-task";

const icons: Record<EntryType | "comment", LucideIcon> = { comment: MessageSquare, ...activityIcons, task: CircleCheck };

const choiceLook =
  "touchable inline-flex h-8.5 items-center gap-1.5 rounded-lg border px-2 text-sm font-medium whitespace-nowrap transition-colors duration-150 @min-[42.75rem]:px-2.5";
/** There is room for icons only where all choices are on one line. */
const iconLook = "@max-[42.75rem]:hidden";
const quietLook = "border-line bg-surface text-soft hover:bg-hover hover:text-ink";

export interface NewEntryProps {
  record: ContactOf;
  draft: EntryDraft;
  onDraft: (change: Partial<EntryDraft>) => void;
  /** What is shown while no type is chosen: the field for a comment. */
  comment?: ReactNode;
  /** Counts how often the form was asked for, which shows it and gives it the focus. */
  asked?: number;
  /** Called when it was taken over: it is saved, or waits for a connection. */
  onAdded?: (type: EntryType) => void;
  /** Called when the first attempt to log it has ended well, or waits for a connection. */
  onLogged?: (type: ActivityType, waits: boolean) => void;
}

/** Leads to the form of a new event. */
function EventLink({ record }: { record: ContactOf }) {
  const { t } = useTranslation();
  return (
    <Link to={useNewEventPath(record)} state={openedState} className={cx(choiceLook, quietLook)}>
      <CalendarPlus aria-hidden size={15} className={iconLook} />
      {t("ui.activities.types.event")}
    </Link>
  );
}

/** Adds an activity or a task to a record: its type is chosen first. */
export function NewEntry({ record, draft, onDraft, comment, asked = 0, onAdded, onLogged }: NewEntryProps) {
  const { t } = useTranslation();
  const { id: me } = useUser();
  const mayAddTask = useMay("tasks.write");
  const mayAddEvent = useMay("events.write");
  const client = useQueryClient();
  useEffect(() => startEntries(client, me), [client, me]);
  const [error, setError] = useState<unknown>();
  const group = useRef<HTMLDivElement>(null);
  const { kind, id } = record;
  const { type: chosen, task, ...values } = draft;
  const type = chosen === "task" && !mayAddTask ? undefined : chosen;
  const choose = (next: EntryType | undefined) => {
    setError(undefined);
    onDraft({ type: next });
  };
  const added = (done: EntryType, empty: Partial<EntryDraft>) => {
    onDraft({ ...empty, type: comment ? undefined : done });
    group.current?.querySelector<HTMLElement>(`[data-type=${done}]`)?.focus();
    onAdded?.(done);
  };
  /** Shows what the server refused, unless something newer is in the form; returns whether it does. */
  const takeBack = (refusal: unknown, refused: Partial<EntryDraft>) => {
    setError(refusal);
    if (!group.current) toast.error(errorText(refusal));
    if (isTyped(readEntryDraft(me, record))) return false;
    onDraft(refused);
    return true;
  };
  const log = () => {
    if (!type || type === "task") return;
    const { next } = values;
    const { title = "", dueDate, assigneeId } = next ?? {};
    const activity = {
      ...inputOf(values, type),
      // What waits for a connection was now, not when it is sent.
      ...(isOffline() && !values.at && { at: new Date().toISOString() }),
      links: [{ kind, recordId: id }],
      ...(next && { nextStep: { title: title.trim(), dueDate, assigneeId: assigneeId ?? me } }),
    };
    setError(undefined);
    const isKept = addEntry(
      { kind: "activity", record, input: activity },
      {
        saved: () => onLogged?.(type, false),
        waits: () => onLogged?.(type, true),
        refused: (refusal) => takeBack(refusal, { ...values, type }),
      },
    );
    if (!isKept) return;
    if (type === "call") endOffer(id);
    added(type, { ...noValues, at: undefined, next: undefined });
  };
  const box = useRef<HTMLDivElement>(null);
  const shown = useRef({ type, asked });
  useEffect(() => {
    // A form from before stays where it is.
    const isNew = type && (!shown.current.type || shown.current.asked !== asked);
    if (isNew && box.current) bringIntoView(box.current);
    shown.current = { type, asked };
  }, [type, asked]);
  const choices = [...(comment ? (["comment"] as const) : []), ...activityTypes, ...(mayAddTask ? (["task"] as const) : [])];
  return (
    <>
      <div className="no-print @container mb-3">
        <div ref={group} role="group" aria-label={t("ui.activities.choose")} className="flex flex-wrap gap-1 @min-[42.75rem]:gap-1.5">
          {choices.map((choice) => {
            const Icon = icons[choice];
            const isOn = (type ?? "comment") === choice;
            return (
              <button
                key={choice}
                type="button"
                data-type={choice}
                aria-pressed={isOn}
                onClick={() => choose(choice === "comment" ? undefined : choice)}
                className={cx(choiceLook, isOn ? "border-tint-line bg-tint-soft text-on-tint" : quietLook)}
              >
                <Icon aria-hidden size={15} className={iconLook} />
                {t(`ui.activities.types.${choice}`)}
              </button>
            );
          })}
          {comment && mayAddEvent && <EventLink record={record} />}
        </div>
      </div>
      {type ? (
        <div key={asked} ref={box} className={cx(comment !== undefined && "no-print rounded-xl border border-line bg-surface p-3.5")}>
          {type === "task" ? (
            <NewTask
              record={record}
              values={task}
              onChange={(next) => onDraft({ task: next })}
              onAdded={() => added("task", { task: undefined })}
              error={error}
              onRefused={(refused, refusal) => takeBack(refusal, { task: refused, type: "task" })}
            />
          ) : (
            <ActivityForm
              hasNext
              type={type}
              values={values}
              onChange={onDraft}
              submit={t(`ui.activities.log.${type}`)}
              isPending={false}
              error={error}
              onSubmit={log}
            />
          )}
        </div>
      ) : (
        comment
      )}
    </>
  );
}
