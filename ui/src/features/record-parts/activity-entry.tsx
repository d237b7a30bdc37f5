import { Ellipsis, Pencil, Trash2 } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { fieldError } from "@/api/errors";
import type { Activity, ActivityType } from "@/api/schema";
import { Alert } from "@/components/alert";
import { ConfirmDialog } from "@/components/confirm-dialog";
import { ConflictDialog } from "@/components/conflict-dialog";
import { IconButton } from "@/components/icon-button";
import { Menu, MenuButton, MenuItem } from "@/components/menu";
import { Sentence, slot } from "@/components/sentence";
import { useMay, useUser } from "@/features/account/data";
import { Cards } from "@/features/content/cards";
import { mediumDate } from "@/lib/format";
import { newId } from "@/lib/new-id";
import { toast } from "@/lib/toast";
import { type ConflictField, isStale } from "@/records/conflicts";
import type { TimelineOf } from "@/records/timelines";
import { type ActivityValues, inputOf, keepRevised, type RevisedActivity, readRevised, valuesOf } from "./activities";
import { ActivityForm } from "./activity-form";
import { activityIcons } from "./activity-icons";
import { readActivity, useActivityCalls } from "./data";
import { EntryTime, useActorName } from "./entry";

/** Returns what a change of an activity begins with. */
const baseOf = ({ version, text, outcome, at }: Activity): RevisedActivity["base"] => ({
  version,
  at,
  ...(text !== undefined && { text }),
  ...(outcome !== undefined && { outcome }),
});

/** The fields of an activity that two members may have changed. */
function useActivityFields(type: ActivityType): ConflictField<ActivityValues>[] {
  const { t } = useTranslation();
  return [
    { names: ["text"], label: t(`ui.activities.texts.${type}`), show: ({ text }) => text },
    { names: ["outcome"], label: t("ui.activities.outcome"), show: ({ outcome }) => outcome },
    { names: ["at"], label: t("ui.activities.day"), show: ({ at }) => at?.day && `${mediumDate(at.day)}, ${at.time}` },
  ];
}

/**
 * Changes a logged activity where it stands, over the version that was read when it began. What is typed stays until it is
 * saved, also when the page is left.
 */
function EditActivity({ activity, onDone }: { activity: Activity; onDone: () => void }) {
  const { t } = useTranslation();
  const { id: me } = useUser();
  const { id, type } = activity;
  const { edit } = useActivityCalls();
  const [revised, setRevised] = useState(
    (): RevisedActivity => readRevised(me, id) ?? { base: baseOf(activity), values: valuesOf(activity) },
  );
  const [theirs, setTheirs] = useState<Activity>();
  const fields = useActivityFields(type);
  const { base, values, isKept } = revised;
  const change = (next: RevisedActivity) => {
    setRevised(next);
    keepRevised(me, id, next);
  };
  const done = () => {
    keepRevised(me, id, undefined);
    onDone();
  };
  const save = async (from: RevisedActivity) => {
    const { at, ...patch } = inputOf(from.values, type);
    const before = valuesOf(from.base).at;
    // The seconds of a time that stays are kept.
    const isMoved = from.values.at?.day !== before?.day || from.values.at?.time !== before?.time;
    try {
      await edit.mutateAsync({ id, version: from.base.version, patch: { ...patch, ...(at && isMoved && { at }) } });
      done();
    } catch (error) {
      // Without a connection, the next attempt asks.
      if (isStale(error)) setTheirs(await readActivity(id));
    }
  };
  return (
    <div className="mt-2 rounded-xl border border-line bg-surface p-3.5">
      {isKept && !edit.error && (
        <Alert kind="info" className="mb-3.5">
          {t("ui.form.restored")}
        </Alert>
      )}
      <ActivityForm
        type={type}
        values={values}
        onChange={(typed) => change({ ...revised, values: { ...values, ...typed } })}
        submit={t("ui.action.save")}
        isPending={edit.isPending}
        error={edit.error}
        onSubmit={() => void save(revised)}
        onCancel={done}
      />
      {theirs && (
        <ConflictDialog
          fields={fields}
          base={valuesOf(base)}
          mine={values}
          theirs={valuesOf(theirs)}
          onChoose={(chosen, isOwn) => {
            const next = { base: baseOf(theirs), values: chosen };
            setTheirs(undefined);
            if (!isOwn) return done();
            change(next);
            void save(next);
          }}
          onClose={() => setTheirs(undefined)}
        />
      )}
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
  const [isEdited, setEdited] = useState(() => readRevised(me, activity.id) !== undefined);
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
