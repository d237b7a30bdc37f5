import { useQuery } from "@tanstack/react-query";
import { CircleCheck } from "lucide-react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { useMay } from "@/features/account/data";
import { addEntry, type NamedContact } from "@/features/record-parts/logging";
import { openedState, pathOfKind } from "@/records/kinds";
import { StepDay } from "./contact-state";
import { openTasksQuery, taskFilter } from "./data";
import { RelatedSection } from "./related-section";

const columns = { customer: "customerId", organization: "organizationId", deal: "dealId" } as const;

/** The open tasks that concern a record, and the way to add one. */
export function OpenTasks({ record }: { record: NamedContact }) {
  const { t } = useTranslation();
  const { kind, id } = record;
  const column = columns[kind];
  const mayWrite = useMay("tasks.write");
  const mayLog = useMay("comments.write");
  const { data } = useQuery({ ...openTasksQuery(column, id), enabled: useMay("tasks.read") });
  if (!data || (!mayWrite && data.items.length === 0)) return null;
  const list = pathOfKind("task");
  return (
    <RelatedSection
      id={`tasks-${id}`}
      title={t("ui.customers.openTasks")}
      add={
        mayWrite
          ? {
              label: t("ui.tasks.add"),
              // Without the composer of the record, the list of tasks adds one.
              ...(mayLog
                ? { onPress: () => addEntry(record, "task") }
                : { to: `${list}/new?${new URLSearchParams({ filter: taskFilter(column, id) })}` }),
            }
          : undefined
      }
    >
      {data.items.length === 0 && <p className="mt-1 text-muted">{t("ui.contact.noTasks")}</p>}
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
