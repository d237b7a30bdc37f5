import { CalendarPlus, CircleCheck, type LucideIcon, MessageSquare } from "lucide-react";
import { type ReactNode, useEffect, useRef } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { useMay, useUser } from "@/features/account/data";
import { cx } from "@/lib/cx";
import { bringIntoView } from "@/lib/into-view";
import { newId } from "@/lib/new-id";
import { openedState } from "@/records/kinds";
import { activityTypes, type EntryDraft, inputOf, noValues } from "./activities";
import { ActivityForm } from "./activity-form";
import { activityIcons } from "./activity-icons";
import { useNewEventPath } from "./concerned";
import { useActivityCalls } from "./data";
import type { ContactOf, EntryType } from "./logging";
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
  onAdded?: (type: EntryType) => void;
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
export function NewEntry({ record, draft, onDraft, comment, asked = 0, onAdded }: NewEntryProps) {
  const { t } = useTranslation();
  const { id: me } = useUser();
  const mayAddTask = useMay("tasks.write");
  const mayAddEvent = useMay("events.write");
  const { create } = useActivityCalls();
  const group = useRef<HTMLDivElement>(null);
  /** A repeated attempt to log the same activity has the same key, so that it is stored once. */
  const key = useRef<{ sent: string; key: string }>(undefined);
  const { kind, id } = record;
  const { type: chosen, task, ...values } = draft;
  const type = chosen === "task" && !mayAddTask ? undefined : chosen;
  const choose = (next: EntryType | undefined) => {
    create.reset();
    onDraft({ type: next });
  };
  const added = (done: EntryType, empty: Partial<EntryDraft>) => {
    onDraft({ ...empty, type: comment ? undefined : done });
    group.current?.querySelector<HTMLElement>(`[data-type=${done}]`)?.focus();
    onAdded?.(done);
  };
  const log = () => {
    if (!type || type === "task") return;
    const { next } = values;
    const { title = "", dueDate, assigneeId } = next ?? {};
    const activity = {
      ...inputOf(values, type),
      links: [{ kind, recordId: id }],
      ...(next && { nextStep: { title: title.trim(), dueDate, assigneeId: assigneeId ?? me } }),
    };
    const sent = JSON.stringify(activity);
    if (key.current?.sent !== sent) key.current = { sent, key: newId() };
    // Also after the record was closed: what is stored is no draft any more.
    const logged = () => {
      key.current = undefined;
      added(type, { ...noValues, at: undefined, next: undefined });
    };
    // The form shows the error.
    create.mutateAsync({ ...activity, key: key.current.key }).then(logged, () => undefined);
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
            />
          ) : (
            <ActivityForm
              hasNext
              type={type}
              values={values}
              onChange={onDraft}
              submit={t(`ui.activities.log.${type}`)}
              isPending={create.isPending}
              error={create.error}
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
