import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Check, RotateCcw } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { fieldError } from "@/api/errors";
import type { Task, TaskPatch } from "@/api/schema";
import { Button } from "@/components/button";
import { DateField } from "@/components/date-field";
import { RecordSelect } from "@/components/record-select";
import { SaveFailure } from "@/components/save-failure";
import { SaveNote } from "@/components/save-note";
import { Segmented } from "@/components/segmented";
import { Select } from "@/components/select";
import { TagsField } from "@/components/tags-field";
import { TextArea } from "@/components/text-area";
import { useMay, useUser } from "@/features/account/data";
import { OriginLink } from "@/features/chat/origin-link";
import { EditorsNote } from "@/features/records/editors-note";
import { RecordConflict } from "@/features/records/record-conflict";
import { dropping, RecordDrawer, type RecordFrame, RecordView } from "@/features/records/record-drawer";
import { useRecordAddress } from "@/features/records/use-record-address";
import { useTitleKept } from "@/features/records/use-title-kept";
import { MemberSelect } from "@/features/team/member-select";
import { recordQuery } from "@/records/data";
import { useVersionedAutosave } from "@/records/use-versioned-autosave";
import { outlineQuery, patched, usePatchTask } from "./data";
import { firstOf, sectionOf } from "./order";
import { Subtasks } from "./subtasks";
import { useRemoveTask } from "./use-remove-task";

const noSection = "none";

/** The fields of a task; changes are saved automatically. */
function TaskEditor({ frame }: { frame: RecordFrame<Task> }) {
  const { record: task } = frame;
  const { t } = useTranslation();
  const mayWrite = useMay("tasks.write");
  const user = useUser();
  const client = useQueryClient();
  const { mutateAsync } = usePatchTask(true);
  const { data: outline } = useQuery(outlineQuery);
  const sections = outline?.sections ?? [];
  const [shown, setShown] = useState(task);
  const [touched, setTouched] = useState(false);
  const [isDayWrong, setDayWrong] = useState(false);
  const { id } = task;
  const saving = useVersionedAutosave<Task, TaskPatch>({
    kind: "task",
    record: task,
    member: user.id,
    name: `task.${id}`,
    send: (patch, version) => mutateAsync({ id, patch, version }),
    read: () => client.fetchQuery({ ...recordQuery("task", id), staleTime: 0 }),
    adopt: (record, patch) => setShown(patched(record, patch)),
  });
  const { state, error, change, flush } = saving;
  const set = (patch: TaskPatch, now = false) => {
    setShown((before) => patched(before, patch));
    // The server refuses a task without a title, so the change waits for one.
    if (patch.title !== undefined && !patch.title?.trim()) return;
    // The same holds for a subtask without a title.
    change(patch.subtasks ? { ...patch, subtasks: patch.subtasks.filter((one) => one.title.trim()) } : patch, now);
  };
  const isTitleEmpty = shown.title.trim() === "";
  const isUnsaved = isTitleEmpty || isDayWrong || shown.subtasks.some((one) => one.title.trim() === "");
  useTitleKept(id, task.title, isTitleEmpty);
  const section = sectionOf(shown, sections);
  const named = ["title", "notes", "tags", "dueDate", "assigneeId", "customerId", "organizationId", "dealId"];
  const all = [
    { input: "customerId", kind: "customer", label: t("ui.tasks.customer"), may: useMay("customers.read") },
    { input: "organizationId", kind: "organization", label: t("ui.tasks.organization"), may: useMay("organizations.read") },
    { input: "dealId", kind: "deal", label: t("ui.tasks.deal"), may: useMay("deals.read") },
  ] as const;
  // A record that is chosen is shown to all who see the task.
  const concerned = all.filter(({ may, input }) => may || shown[input]);
  const isPlaced = named.some((name) => fieldError(error, name));

  const lead = mayWrite ? (
    <Button
      size="sm"
      icon={shown.completed ? RotateCcw : Check}
      variant={shown.completed ? "active" : "secondary"}
      className="min-w-0"
      onClick={() => set({ completed: !shown.completed }, true)}
    >
      {/* On a phone there is no room for its label beside the save state. */}
      <span className={state === "idle" ? "truncate" : "max-sm:sr-only"}>
        {shown.completed ? t("ui.tasks.reopen") : t("ui.tasks.complete")}
      </span>
    </Button>
  ) : (
    <h2 className="text-lg font-bold text-ink">{t("ui.tasks.task")}</h2>
  );
  return (
    <>
      <RecordView
        frame={dropping(frame, saving.drop)}
        lead={lead}
        note={<SaveNote state={state} isUnsaved={isUnsaved} onRetry={() => void flush()} />}
        onSave={mayWrite ? () => void flush() : undefined}
      >
        {/* biome-ignore lint/a11y/noStaticElementInteractions: only tracks which field has the focus */}
        <div
          onFocus={({ target }) => mayWrite && target.matches("input, textarea, [role=spinbutton], [role=combobox]") && setTouched(true)}
          className="grid grid-cols-1 gap-5 px-5 pt-5 sm:px-6"
        >
          <EditorsNote kind="task" recordId={id} on={touched || state !== "idle"} />
          {state === "failed" && <SaveFailure error={error} isPlaced={isPlaced} onCompare={() => void flush()} />}
          <TextArea
            label={t("ui.tasks.titleField")}
            rows={1}
            readOnly={!mayWrite}
            value={shown.title}
            error={isTitleEmpty ? t("ui.form.required") : fieldError(error, "title")}
            onChange={(event) => set({ title: event.target.value.replaceAll("\n", " ") })}
            className="[&_textarea]:!min-h-11 [&_textarea]:text-lg [&_textarea]:resize-none [&_textarea]:font-semibold"
          />
          <div className="grid gap-5 sm:grid-cols-2">
            <MemberSelect
              label={t("ui.tasks.assignee")}
              value={shown.assigneeId}
              isDisabled={!mayWrite}
              error={fieldError(error, "assigneeId")}
              onChange={(assigneeId) => set({ assigneeId }, true)}
            />
            <DateField
              label={t("ui.tasks.dueDate")}
              value={shown.dueDate ?? null}
              error={fieldError(error, "dueDate")}
              disabled={!mayWrite}
              onChange={(dueDate) => set({ dueDate }, true)}
              onWrong={setDayWrong}
            />
            <div className="min-w-0">
              <p aria-hidden className="mb-1.5 text-sm font-medium text-gray-700">
                {t("ui.tasks.priority")}
              </p>
              <Segmented
                disabled={!mayWrite}
                label={t("ui.tasks.priority")}
                value={String(shown.priority) as "0" | "1" | "2"}
                onChange={(value) => set({ priority: Number(value) as Task["priority"] }, true)}
                options={[
                  { value: "0", label: t("ui.tasks.priorities.low") },
                  { value: "1", label: t("ui.tasks.priorities.normal") },
                  { value: "2", label: t("ui.tasks.priorities.high") },
                ]}
              />
            </div>
            {sections.length > 0 && (
              <Select
                label={t("ui.tasks.section")}
                value={section?.id ?? noSection}
                isDisabled={!mayWrite}
                onChange={(id) => {
                  if (id === (section?.id ?? noSection)) return;
                  const chosen = sections.find((one) => one.id === id);
                  set({ order: firstOf(chosen, outline?.places ?? []) }, true);
                }}
                options={[
                  { value: noSection, label: t("ui.tasks.noSection") },
                  ...sections.map((one) => ({ value: one.id, label: one.title })),
                ]}
              />
            )}
          </div>
          <div className="grid gap-5 sm:grid-cols-2">
            {concerned.map(({ input, kind, label }) => (
              <RecordSelect
                key={input}
                kind={kind}
                label={label}
                value={shown[input]}
                isDisabled={!mayWrite}
                error={fieldError(error, input)}
                onChange={(record) => set({ [input]: record }, true)}
              />
            ))}
          </div>
          <TagsField
            label={t("ui.tasks.tags")}
            value={shown.tags}
            error={fieldError(error, "tags")}
            disabled={!mayWrite}
            onChange={(next) => set({ tags: next }, true)}
          />
          <TextArea
            label={t("ui.tasks.notes")}
            rows={4}
            readOnly={!mayWrite}
            value={shown.notes ?? ""}
            error={fieldError(error, "notes")}
            onChange={(event) => set({ notes: event.target.value || null })}
          />
          <OriginLink text={shown.notes} />
          <Subtasks items={shown.subtasks} disabled={!mayWrite} onChange={(subtasks, now) => set({ subtasks }, now)} />
        </div>
      </RecordView>
      {saving.conflict && (
        <RecordConflict
          {...saving.conflict}
          kind="task"
          recordId={id}
          mine={shown}
          views={{ order: { show: (one) => sectionOf(one, sections)?.title ?? t("ui.tasks.noSection") } }}
          onChoose={(_task, changes) => saving.choose(changes)}
          onClose={saving.close}
        />
      )}
    </>
  );
}

/** A task beside the list. */
export function TaskDrawer() {
  const { toList } = useRecordAddress("task");
  const remove = useRemoveTask();
  return <RecordDrawer kind="task" remove={(task) => remove(task, toList)} editor={TaskEditor} />;
}
