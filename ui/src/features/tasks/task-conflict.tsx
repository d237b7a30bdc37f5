import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import type { Task, TaskPatch } from "@/api/schema";
import { customerQuery } from "@/features/customers/data";
import { useMembers } from "@/features/team/data";
import { PatchConflict, type PatchConflictProps } from "@/features/team/patch-conflict";
import { longDate } from "@/lib/format";
import type { ConflictField } from "@/records/conflicts";
import { outlineQuery } from "./data";
import { sectionOf } from "./order";

const priorities = ["low", "normal", "high"] as const;

function CustomerName({ id }: { id: string }) {
  return useQuery(customerQuery(id)).data?.name;
}

/** The fields of a task for a conflict. */
function useTaskFields(): ConflictField<Task>[] {
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

/** Both versions of a task that two members changed. */
export function TaskConflict(props: PatchConflictProps<Task, TaskPatch>) {
  return <PatchConflict kind="task" fields={useTaskFields()} empty={() => null} {...props} />;
}
