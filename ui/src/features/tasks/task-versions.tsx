import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import type { Task } from "@/api/schema";
import { VersionsDialog } from "@/components/versions-dialog";
import { customerQuery } from "@/features/customers/data";
import { useMembers } from "@/features/team/data";
import { changerOf } from "@/lib/editors";
import { longDate } from "@/lib/format";
import { same, type VersionField } from "@/lib/versions";
import { outlineQuery, type TaskPatch } from "./data";
import { sectionOf } from "./order";

const priorities = ["low", "normal", "high"] as const;

function CustomerName({ id }: { id: string }) {
  return useQuery(customerQuery(id)).data?.name;
}

/** A task's fields as two versions of it are compared. */
function useTaskFields(): VersionField<Task>[] {
  const { t } = useTranslation();
  const { find } = useMembers();
  const { data: outline } = useQuery(outlineQuery);
  return [
    { names: ["title"], label: t("ui.tasks.titleField"), show: ({ title }) => title },
    {
      names: ["completed"],
      label: t("ui.versions.state"),
      show: ({ completed }) => t(completed ? "ui.versions.completed" : "ui.versions.open"),
    },
    { names: ["assigneeId"], label: t("ui.tasks.assignee"), show: ({ assigneeId }) => find(assigneeId)?.name },
    { names: ["dueDate"], label: t("ui.tasks.dueDate"), show: ({ dueDate }) => dueDate && longDate(dueDate) },
    {
      names: ["priority"],
      label: t("ui.tasks.priority"),
      show: ({ priority }) => t(`ui.tasks.priorities.${priorities[priority] ?? "normal"}`),
    },
    {
      names: ["order"],
      label: t("ui.tasks.section"),
      show: (task) => sectionOf(task, outline?.sections ?? [])?.title ?? t("ui.tasks.noSection"),
    },
    {
      names: ["customerId"],
      label: t("ui.tasks.customer"),
      show: ({ customerId }) => customerId && <CustomerName id={customerId} />,
    },
    { names: ["tags"], label: t("ui.tasks.tags"), show: ({ tags }) => tags.join(", ") },
    { names: ["notes"], label: t("ui.tasks.notes"), show: ({ notes }) => notes },
    {
      names: ["subtasks"],
      label: t("ui.tasks.subtasks"),
      show: ({ subtasks }) => subtasks.map(({ title, completed }) => `${completed ? "☑" : "☐"} ${title}`).join("\n"),
    },
  ];
}

interface TaskVersionsProps {
  base: Task;
  mine: Task;
  theirs: Task;
  /** The own changes that stay. */
  onChoose: (patch: TaskPatch) => void;
  onClose: () => void;
}

/** Both versions of a task that two people changed. */
export function TaskVersions({ base, mine, theirs, onChoose, onClose }: TaskVersionsProps) {
  const fields = useTaskFields();
  const { find } = useMembers();
  const choose = (chosen: Task) => {
    const names = fields.flatMap((field) => field.names).filter((name) => !same(chosen[name], theirs[name]));
    onChoose(Object.fromEntries(names.map((name) => [name, chosen[name] ?? null])) as TaskPatch);
  };
  return (
    <VersionsDialog
      fields={fields}
      base={base}
      mine={mine}
      theirs={theirs}
      who={find(changerOf({ kind: "task", recordId: theirs.id }))?.name}
      onChoose={choose}
      onClose={onClose}
    />
  );
}
