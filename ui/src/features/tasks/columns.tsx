import { useTranslation } from "react-i18next";
import type { Task } from "@/api/schema";
import { TimeCell } from "@/components/cells";
import { RecordTitle } from "@/components/record-title";
import { TagList } from "@/components/tag-list";
import { commonColumns } from "@/features/lists/common-columns";
import { Person } from "@/features/team/person";
import type { ListColumn } from "@/records/list/columns";
import { useTagChoices } from "@/records/tags";
import { Due } from "./due";
import { Priority } from "./priority";

/** The columns of the table of tasks, by which they are filtered and sorted. */
export function useTaskColumns(): ListColumn<Task>[] {
  const { t } = useTranslation();
  const tags = useTagChoices("tasks");
  const priorities = (["low", "normal", "high"] as const).map((name, at) => ({ key: String(at), name: t(`ui.tasks.priorities.${name}`) }));
  return [
    { id: "title", label: t("ui.tasks.titleField"), type: "text" },
    {
      id: "tags",
      label: t("ui.tasks.tags"),
      type: "tags",
      choices: tags,
      usual: true,
      quick: true,
      narrow: "@max-[1020px]:hidden",
      cell: ({ tags: own }) => <TagList kind="task" tags={own} />,
    },
    {
      id: "assigneeId",
      label: t("ui.tasks.assignee"),
      type: "member",
      usual: true,
      quick: true,
      inBulk: "optional",
      className: "max-w-44",
      cell: ({ assigneeId }) => <Person id={assigneeId} />,
    },
    {
      id: "dueDate",
      label: t("ui.tasks.dueDate"),
      type: "date",
      usual: true,
      inBulk: "optional",
      className: "whitespace-nowrap",
      cell: ({ dueDate, completed }) => dueDate && <Due date={dueDate} completed={completed} />,
    },
    {
      id: "priority",
      label: t("ui.tasks.priority"),
      type: "choice",
      choices: priorities,
      usual: true,
      inBulk: "required",
      bulkValue: Number,
      cell: ({ priority }) => <Priority value={priority} />,
    },
    {
      id: "customerId",
      label: t("ui.tasks.customer"),
      type: "record",
      target: "customer",
      usual: true,
      inBulk: "optional",
      className: "max-w-60",
      narrow: "@max-[900px]:hidden",
      cell: ({ customerId }) => customerId && <RecordTitle kind="customer" id={customerId} />,
    },
    {
      id: "organizationId",
      label: t("ui.tasks.organization"),
      type: "record",
      target: "organization",
      inBulk: "optional",
      className: "max-w-60",
      cell: ({ organizationId }) => organizationId && <RecordTitle kind="organization" id={organizationId} />,
    },
    {
      id: "dealId",
      label: t("ui.tasks.deal"),
      type: "record",
      target: "deal",
      inBulk: "optional",
      className: "max-w-60",
      cell: ({ dealId }) => dealId && <RecordTitle kind="deal" id={dealId} />,
    },
    { ...commonColumns<Task>(t).updatedAt, narrow: "@max-[1240px]:hidden" },
    { id: "completed", label: t("ui.tasks.showCompleted"), type: "checkbox", inBulk: "required" },
    {
      id: "completedAt",
      label: t("ui.tasks.completedAt"),
      type: "time",
      className: "whitespace-nowrap",
      cell: ({ completedAt }) => completedAt && <TimeCell at={completedAt} />,
    },
  ];
}
