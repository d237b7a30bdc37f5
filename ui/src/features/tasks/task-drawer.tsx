import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Check, RotateCcw, Trash2, X } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useLocation, useNavigate, useParams } from "react-router";
import { errorText, fieldError } from "@/api/errors";
import type { Task, TaskPatch } from "@/api/schema";
import { Alert } from "@/components/alert";
import { Button } from "@/components/button";
import { DateField } from "@/components/date-field";
import { Drawer } from "@/components/drawer";
import { ErrorState } from "@/components/error-state";
import { IconButton } from "@/components/icon-button";
import { SaveNote } from "@/components/save-note";
import { Segmented } from "@/components/segmented";
import { Select } from "@/components/select";
import { SkeletonRows } from "@/components/skeleton";
import { StaleNote } from "@/components/stale-note";
import { TagInput } from "@/components/tag-input";
import { TextArea } from "@/components/text-area";
import { useMay, useUser } from "@/features/account/data";
import { useMayDelete } from "@/features/account/may-delete";
import { OriginLink } from "@/features/chat/origin-link";
import { CustomerSelect } from "@/features/customers/customer-select";
import { RecordFields } from "@/features/fields/record-fields";
import { Files } from "@/features/record-parts/files";
import { Timeline } from "@/features/record-parts/timeline";
import { EditorsNote } from "@/features/team/editors-note";
import { MemberSelect } from "@/features/team/member-select";
import { isStale } from "@/records/conflicts";
import { useIsRemoved } from "@/records/removed";
import { useVersionedAutosave } from "@/records/use-versioned-autosave";
import { useTitle } from "@/shell/use-title";
import { outlineQuery, patched, taskQuery, usePatchTask } from "./data";
import { firstOf, sectionOf } from "./order";
import { Subtasks } from "./subtasks";
import { TaskConflict } from "./task-conflict";
import { useRemoveTask } from "./use-remove-task";

const noSection = "none";

function Editor({ task, onClose }: { task: Task; onClose: () => void }) {
  const { t } = useTranslation();
  const mayWrite = useMay("tasks.write");
  const mayDelete = useMayDelete("task");
  const user = useUser();
  const client = useQueryClient();
  const { mutateAsync } = usePatchTask(true);
  const remove = useRemoveTask();
  const { data: outline } = useQuery(outlineQuery);
  const sections = outline?.sections ?? [];
  const [shown, setShown] = useState(task);
  const [touched, setTouched] = useState(false);
  const { id } = task;
  const saving = useVersionedAutosave<Task, TaskPatch>({
    record: task,
    member: user.id,
    name: `task.${id}`,
    send: (patch, version) => mutateAsync({ id, patch, version }),
    read: () => client.fetchQuery({ ...taskQuery(id), staleTime: 0 }),
    adopt: (record, patch) => setShown(patched(record, patch)),
  });
  const { state, error, change, flush, drop } = saving;
  useTitle(task.title || t("ui.tasks.title"));

  const set = (patch: TaskPatch, now = false) => {
    setShown((before) => patched(before, patch));
    // The server refuses a task without a title, so the change waits for one.
    if (patch.title !== undefined && !patch.title?.trim()) return;
    // The same holds for a subtask without a title.
    change(patch.subtasks ? { ...patch, subtasks: patch.subtasks.filter((one) => one.title.trim()) } : patch, now);
  };
  const section = sectionOf(shown, sections);
  const named = ["title", "notes", "tags", "dueDate", "assigneeId", "customerId"];
  const stale = isStale(error);
  const unplaced = state === "failed" && !stale && !named.some((name) => fieldError(error, name));

  return (
    <>
      <header className="flex items-center gap-2 border-b border-line py-2.5 pr-3 pl-5">
        {mayWrite ? (
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
        )}
        <span className="flex min-w-0 flex-1 justify-end">
          <SaveNote state={state} onRetry={() => void flush()} />
        </span>
        {mayDelete(task) && (
          <IconButton
            label={t("ui.tasks.delete")}
            icon={Trash2}
            tone="danger"
            onClick={() => {
              drop();
              remove(task, onClose);
            }}
          />
        )}
        <IconButton label={t("ui.action.close")} icon={X} onClick={onClose} />
      </header>
      <div className="min-h-0 flex-1 overflow-y-auto px-5 py-5">
        {/* biome-ignore lint/a11y/noStaticElementInteractions: only tracks which field has the focus */}
        <div
          onFocus={({ target }) => mayWrite && target.matches("input, textarea, [role=spinbutton], [role=combobox]") && setTouched(true)}
          className="grid grid-cols-1 gap-5"
        >
          <EditorsNote kind="task" recordId={id} on={touched || state !== "idle"} />
          {state === "failed" && stale && <StaleNote onCompare={() => void flush()} />}
          {unplaced && <Alert kind="error">{errorText(error)}</Alert>}
          <TextArea
            label={t("ui.tasks.titleField")}
            rows={1}
            maxLength={300}
            readOnly={!mayWrite}
            value={shown.title}
            error={shown.title.trim() === "" ? t("ui.form.required") : fieldError(error, "title")}
            onChange={(event) => set({ title: event.target.value.replaceAll("\n", " ") })}
            className="[&_textarea]:!min-h-11 [&_textarea]:text-lg [&_textarea]:resize-none [&_textarea]:font-semibold"
          />
          <div className="grid gap-5 sm:grid-cols-2">
            <MemberSelect
              label={t("ui.tasks.assignee")}
              value={shown.assigneeId}
              isDisabled={!mayWrite}
              error={fieldError(error, "assigneeId")}
              onChange={(id) => set({ assigneeId: id ?? null }, true)}
            />
            <DateField
              label={t("ui.tasks.dueDate")}
              value={shown.dueDate ?? null}
              error={fieldError(error, "dueDate")}
              disabled={!mayWrite}
              onChange={(date) => set({ dueDate: date }, true)}
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
          <CustomerSelect
            label={t("ui.tasks.customer")}
            value={shown.customerId}
            isDisabled={!mayWrite}
            onChange={(id) => set({ customerId: id ?? null }, true)}
          />
          <TagInput
            label={t("ui.tasks.tags")}
            value={shown.tags}
            error={fieldError(error, "tags")}
            disabled={!mayWrite}
            onChange={(tags) => set({ tags }, true)}
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
        <RecordFields kind="task" id={id} values={task.fields} className="mt-5" />
        <Files kind="task" id={id} className="mt-5" />
        <Timeline kind="task" id={id} className="mt-5 border-t border-line pt-5" />
      </div>
      {saving.conflict && <TaskConflict {...saving.conflict} mine={shown} onChoose={saving.choose} onClose={saving.close} />}
    </>
  );
}

/** A task beside the list; changes are saved automatically. */
export function TaskDrawer() {
  const { t } = useTranslation();
  const { id = "" } = useParams();
  const navigate = useNavigate();
  const { search } = useLocation();
  const { data, error, refetch } = useQuery({ ...taskQuery(id), enabled: !useIsRemoved(id) });
  const close = () => void navigate(`/tasks${search}`, { preventScrollReset: true });
  return (
    <Drawer label={data?.title || t("ui.tasks.task")} isOpen onOpenChange={close} className="sm:!w-128">
      {data ? (
        <Editor key={id} task={data} onClose={close} />
      ) : (
        <>
          <header className="flex items-center border-b border-line py-2.5 pr-3 pl-5">
            <h2 className="flex-1 text-lg font-bold text-ink">{t("ui.tasks.task")}</h2>
            <IconButton label={t("ui.action.close")} icon={X} onClick={close} />
          </header>
          {error ? <ErrorState error={error} onRetry={() => void refetch()} /> : <SkeletonRows className="p-5" />}
        </>
      )}
    </Drawer>
  );
}
