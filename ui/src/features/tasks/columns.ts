import { useTranslation } from "react-i18next";
import type { Task } from "@/api/schema";
import type { ListColumn } from "@/records/list/columns";

/** The columns by which the list of tasks is filtered and sorted. `tags` are those to offer. */
export function useTaskColumns(tags: string[]): ListColumn<Task>[] {
  const { t } = useTranslation();
  const priorities = (["low", "normal", "high"] as const).map((name, at) => ({ key: String(at), name: t(`ui.tasks.priorities.${name}`) }));
  return [
    { id: "tags", label: t("ui.tasks.tags"), type: "tags", quick: true, choices: tags.map((tag) => ({ key: tag, name: tag })) },
    { id: "assigneeId", label: t("ui.tasks.assignee"), type: "member", quick: true },
    { id: "title", label: t("ui.tasks.titleField"), type: "text" },
    { id: "dueDate", label: t("ui.tasks.dueDate"), type: "date" },
    { id: "priority", label: t("ui.tasks.priority"), type: "choice", choices: priorities },
    { id: "customerId", label: t("ui.tasks.customer"), type: "record", target: "customer" },
    { id: "completed", label: t("ui.tasks.showCompleted"), type: "checkbox" },
    { id: "completedAt", label: t("ui.tasks.completedAt"), type: "time" },
  ];
}
