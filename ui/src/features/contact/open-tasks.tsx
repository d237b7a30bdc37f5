import { useQuery } from "@tanstack/react-query";
import { CircleCheck } from "lucide-react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { useMay } from "@/features/account/data";
import { openedState, pathOfKind } from "@/records/kinds";
import { StepDay } from "./contact-state";
import { openTasksQuery, type TaskColumn, taskFilter } from "./data";
import { RelatedSection } from "./related-section";

/** The open tasks that concern a record, and the way to add one. */
export function OpenTasks({ column, id }: { column: TaskColumn; id: string }) {
  const { t } = useTranslation();
  const mayWrite = useMay("tasks.write");
  const { data } = useQuery({ ...openTasksQuery(column, id), enabled: useMay("tasks.read") });
  if (!data || (!mayWrite && data.items.length === 0)) return null;
  const list = pathOfKind("task");
  return (
    <RelatedSection
      id={`tasks-${id}`}
      title={t("ui.customers.openTasks")}
      add={
        mayWrite ? { to: `${list}/new?${new URLSearchParams({ filter: taskFilter(column, id) })}`, label: t("ui.tasks.add") } : undefined
      }
    >
      {data.items.length > 0 && (
        <ul className="mt-1">
          {data.items.map((task) => (
            <li key={task.id} className="flex items-center gap-2.5 py-1.5">
              <CircleCheck aria-hidden size={18} className="shrink-0 text-gray-400" />
              <Link
                to={`${list}/${task.id}`}
                state={openedState}
                dir="auto"
                title={task.title}
                className="min-w-0 flex-1 truncate hover:underline pointer-coarse:-my-1.5 pointer-coarse:py-3"
              >
                {task.title}
              </Link>
              {task.dueDate && (
                <span className="shrink-0 text-sm text-muted">
                  <StepDay dueDate={task.dueDate} />
                </span>
              )}
            </li>
          ))}
        </ul>
      )}
    </RelatedSection>
  );
}
