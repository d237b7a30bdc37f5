import { useRef } from "react";
import { useTranslation } from "react-i18next";
import { TagList } from "@/components/tag-list";
import { useMay } from "@/features/account/data";
import { RecordList } from "@/features/lists/record-list";
import { Person } from "@/features/team/person";
import { formatNumber } from "@/lib/format";
import { CheckButton } from "./check-button";
import { useTaskColumns } from "./columns";
import { Due } from "./due";
import { LayoutLink } from "./layout-link";
import { Priority } from "./priority";
import { focusLine, TaskLine } from "./task-line";
import { aliases, byPosition, isByCompletion, ShowControls, ShowItems, useTaskShow } from "./task-show";
import { useToggleTask } from "./use-toggle-task";

/** The tasks as a table, without sections: with columns, and to be changed together. */
export function TasksTable() {
  const { t } = useTranslation();
  const mayWrite = useMay("tasks.write");
  const line = useRef<HTMLInputElement>(null);
  const { show, onlyDone, onlyOpen, narrowing, requestFilters, noMatch } = useTaskShow();
  const toggle = useToggleTask(!onlyOpen);
  return (
    <RecordList
      kind="task"
      columns={useTaskColumns()}
      order={byPosition}
      aliases={aliases}
      narrowing={{ ...narrowing, request: requestFilters }}
      lead={({ entries, isFiltered }, total) => {
        const count = { count: total, number: formatNumber(total) };
        if (onlyDone) return t("ui.tasks.doneCount", count);
        if (onlyOpen && !isByCompletion(entries)) return t("ui.tasks.remaining", count);
        return t(isFiltered || show !== "all" ? "ui.tasks.found" : "ui.tasks.count", count);
      }}
      noMatch={noMatch}
      emptyText={t(mayWrite ? "ui.tasks.emptyText" : "ui.tasks.emptyReader")}
      onNew={() => focusLine(line)}
      actions={() => <LayoutLink layout="sections" />}
      controls={(list) => <ShowControls list={list} />}
      menu={(list) => <ShowItems list={list} />}
      above={(list) => mayWrite && !onlyDone && <TaskLine list={list} show={show} input={line} />}
      title={(task) => ({
        name: task.title || t("ui.tasks.untitled"),
        isDone: task.completed,
        onSpace: mayWrite ? () => toggle(task) : undefined,
        icon: (
          <span className="relative z-1 flex">
            <CheckButton
              title={task.title || t("ui.tasks.untitled")}
              completed={task.completed}
              disabled={!mayWrite}
              onToggle={() => toggle(task)}
            />
          </span>
        ),
      })}
      card={(task) => (
        <>
          <Priority value={task.priority} />
          {task.dueDate && <Due date={task.dueDate} completed={task.completed} />}
          {task.assigneeId && <Person id={task.assigneeId} />}
          <TagList kind="task" tags={task.tags} />
        </>
      )}
    />
  );
}
