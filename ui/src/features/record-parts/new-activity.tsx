import { MessageSquare } from "lucide-react";
import { type ReactNode, useEffect, useRef } from "react";
import { useTranslation } from "react-i18next";
import type { ActivityType } from "@/api/schema";
import { useUser } from "@/features/account/data";
import { cx } from "@/lib/cx";
import { bringIntoView } from "@/lib/into-view";
import { newId } from "@/lib/new-id";
import { type ActivityDraft, activityTypes, type ContactOf, inputOf, noValues } from "./activities";
import { ActivityForm } from "./activity-form";
import { activityIcons } from "./activity-icons";
import { useActivityCalls } from "./data";

export interface NewActivityProps {
  record: ContactOf;
  draft: ActivityDraft;
  onDraft: (change: Partial<ActivityDraft>) => void;
  /** What is shown while no type is chosen: the field for a comment. */
  comment?: ReactNode;
  onLogged?: (type: ActivityType) => void;
}

/** Logs an activity on a record: its type is chosen first. */
export function NewActivity({ record: { kind, id }, draft, onDraft, comment, onLogged }: NewActivityProps) {
  const { t } = useTranslation();
  const { id: me } = useUser();
  const { create } = useActivityCalls();
  const group = useRef<HTMLDivElement>(null);
  /** A repeated attempt to log the same activity has the same key, so that it is stored once. */
  const key = useRef<{ sent: string; key: string }>(undefined);
  const { type, ...values } = draft;
  const choose = (chosen: ActivityType | undefined) => {
    create.reset();
    onDraft({ type: chosen });
  };
  const log = () => {
    if (!type) return;
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
      onDraft({ ...noValues, at: undefined, next: undefined, type: comment ? undefined : type });
      group.current?.querySelector<HTMLElement>(`[data-type=${type}]`)?.focus();
      onLogged?.(type);
    };
    // The form shows the error.
    create.mutateAsync({ ...activity, key: key.current.key }).then(logged, () => undefined);
  };
  const box = useRef<HTMLDivElement>(null);
  const wasShown = useRef(type !== undefined);
  useEffect(() => {
    // A form from before stays where it is.
    if (type && !wasShown.current && box.current) bringIntoView(box.current);
    wasShown.current = type !== undefined;
  }, [type]);
  const choices = [...(comment ? (["comment"] as const) : []), ...activityTypes];
  return (
    <>
      <div ref={group} role="group" aria-label={t("ui.activities.choose")} className="no-print mb-3 flex flex-wrap gap-1.5">
        {choices.map((choice) => {
          const Icon = choice === "comment" ? MessageSquare : activityIcons[choice];
          const isOn = (type ?? "comment") === choice;
          return (
            <button
              key={choice}
              type="button"
              data-type={choice}
              aria-pressed={isOn}
              onClick={() => choose(choice === "comment" ? undefined : choice)}
              className={cx(
                "fingertip relative inline-flex h-8.5 items-center gap-1.5 rounded-lg border px-2.5 text-sm font-medium whitespace-nowrap transition-colors duration-150",
                isOn ? "border-tint-line bg-tint-soft text-on-tint" : "border-line bg-surface text-soft hover:bg-hover hover:text-ink",
              )}
            >
              <Icon aria-hidden size={15} className="max-sm:hidden" />
              {t(`ui.activities.types.${choice}`)}
            </button>
          );
        })}
      </div>
      {type ? (
        <div ref={box} className={cx(comment !== undefined && "no-print rounded-xl border border-line bg-surface p-3.5")}>
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
        </div>
      ) : (
        comment
      )}
    </>
  );
}
