import { Ellipsis, Pencil, Trash2 } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { fieldError } from "@/api/errors";
import type { Activity } from "@/api/schema";
import { ConfirmDialog } from "@/components/confirm-dialog";
import { IconButton } from "@/components/icon-button";
import { Menu, MenuButton, MenuItem } from "@/components/menu";
import { Sentence, slot } from "@/components/sentence";
import { useMay, useUser } from "@/features/account/data";
import { Cards } from "@/features/content/cards";
import { newId } from "@/lib/new-id";
import { toast } from "@/lib/toast";
import type { TimelineOf } from "@/records/timelines";
import { inputOf, valuesOf } from "./activities";
import { ActivityForm } from "./activity-form";
import { activityIcons } from "./activity-icons";
import { useActivityCalls } from "./data";
import { EntryTime, useActorName } from "./entry";

/** Changes a logged activity where it stands. */
function EditActivity({ activity, onDone }: { activity: Activity; onDone: () => void }) {
  const { t } = useTranslation();
  const { edit } = useActivityCalls();
  const [values, setValues] = useState(() => valuesOf(activity));
  const save = () => {
    const { at, ...patch } = inputOf(values, activity.type);
    const before = valuesOf(activity).at;
    // The seconds of a time that stays are kept.
    const isMoved = values.at?.day !== before?.day || values.at?.time !== before?.time;
    edit.mutate({ activity, patch: { ...patch, ...(at && isMoved && { at }) } }, { onSuccess: onDone });
  };
  return (
    <div className="mt-2 rounded-xl border border-line bg-surface p-3.5">
      <ActivityForm
        type={activity.type}
        values={values}
        onChange={(change) => setValues((old) => ({ ...old, ...change }))}
        submit={t("ui.action.save")}
        isPending={edit.isPending}
        error={edit.error}
        onSubmit={save}
        onCancel={onDone}
      />
    </div>
  );
}

/** A call, visit, e-mail or note in the timeline of a record. */
export function ActivityEntry({ record, activity }: { record: TimelineOf; activity: Activity }) {
  const { t } = useTranslation();
  const { id: me } = useUser();
  const nameOf = useActorName();
  const mayWrite = useMay("comments.write");
  const mayChangeAny = useMay("comments.delete");
  const { create, remove } = useActivityCalls();
  const [isEdited, setEdited] = useState(false);
  const [asks, setAsks] = useState(false);
  const { type, at, text, outcome, links, nextTaskId, nextTask, createdBy } = activity;
  const Icon = activityIcons[type];
  const isOwn = createdBy === me;
  const restore = (taskId: string | undefined): Promise<unknown> => {
    const known = links.filter(({ card }) => card).map(({ kind, recordId }) => ({ kind, recordId }));
    // The entry is no longer shown, so that only the promise tells how it ended.
    return create
      .mutateAsync({ key: newId(), type, at, text, outcome, links: known, ...(taskId && { nextTaskId: taskId }) })
      .catch((error: unknown) => {
        if (taskId && fieldError(error, "nextTaskId")) return restore(undefined);
        toast.error(t("ui.error.unexpected"), { label: t("ui.action.retry"), run: () => restore(taskId) });
        return false;
      });
  };
  const removeNow = () => {
    remove.mutate(activity);
    // Another member’s activity would come back as one’s own.
    if (isOwn)
      toast.success(t(`ui.activities.deleted.${type}`), { label: t("ui.action.undo"), run: () => restore(nextTask && nextTaskId) });
  };
  const others = links.filter(({ recordId, card }) => recordId !== record.id && card);
  return (
    <>
      <span aria-hidden className="z-1 grid size-7 place-items-center rounded-full bg-tint text-on-tint ring-4 ring-surface">
        <Icon size={15} />
      </span>
      <div className="min-w-0 flex-1 pt-1">
        <div className="flex min-h-5 items-start gap-1">
          <div className="flex min-w-0 flex-1 flex-wrap items-center gap-x-2 gap-y-1">
            <p className="text-soft [overflow-wrap:anywhere]">
              <Sentence
                text={t(`ui.activities.did.${type}`, { actor: slot("actor") })}
                slots={{
                  actor: (
                    <b dir="auto" className="font-medium text-ink">
                      {nameOf(createdBy)}
                    </b>
                  ),
                }}
              />
            </p>
            {outcome && (
              <span
                dir="auto"
                className="max-w-full truncate rounded-md bg-hover px-1.75 py-px text-xs leading-4.5 text-soft"
                title={outcome}
              >
                {outcome}
              </span>
            )}
          </div>
          {mayWrite && (isOwn || mayChangeAny) && (
            <MenuButton
              button={(attributes) => (
                <IconButton label={t("ui.activities.actions")} icon={Ellipsis} size="sm" className="-my-1.5" {...attributes} />
              )}
            >
              <Menu aria-label={t("ui.activities.actions")}>
                <MenuItem icon={<Pencil aria-hidden size={16} />} onAction={() => setEdited(true)}>
                  {t(`ui.activities.edit.${type}`)}
                </MenuItem>
                <MenuItem danger icon={<Trash2 aria-hidden size={16} />} onAction={() => (isOwn ? removeNow() : setAsks(true))}>
                  {t(`ui.activities.delete.${type}`)}
                </MenuItem>
              </Menu>
            </MenuButton>
          )}
          <EntryTime at={at} />
        </div>
        {isEdited ? (
          <EditActivity activity={activity} onDone={() => setEdited(false)} />
        ) : (
          text && (
            <p dir="auto" className="mt-1.5 rounded-xl bg-hover px-3.5 py-2.5 whitespace-pre-wrap text-body [overflow-wrap:anywhere]">
              {text}
            </p>
          )
        )}
        {nextTaskId && nextTask && (
          <section aria-label={t("ui.activities.nextStep")}>
            <p aria-hidden className="mt-2 text-xs font-medium text-muted">
              {t("ui.activities.nextStep")}
            </p>
            <Cards references={[{ kind: "task", recordId: nextTaskId, text: "", card: nextTask }]} />
          </section>
        )}
        {others.length > 0 && <Cards references={others.map((one) => ({ ...one, text: "" }))} />}
      </div>
      {asks && (
        <ConfirmDialog
          title={t(`ui.activities.deleteTitle.${type}`)}
          text={t("ui.timeline.removeText")}
          confirm={t(`ui.activities.delete.${type}`)}
          isOpen
          onOpenChange={() => setAsks(false)}
          onConfirm={removeNow}
        />
      )}
    </>
  );
}
