import { ListChecks } from "lucide-react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import type { Task } from "@/api/schema";
import { Avatar } from "@/components/avatar";
import { TagList } from "@/components/tag-list";
import { twoLinesOnPhones } from "@/components/two-lines";
import { useMembers } from "@/features/team/data";
import { cx } from "@/lib/cx";
import { formatNumber } from "@/lib/format";
import { onSpaceBar } from "@/lib/keys";
import { openedState } from "@/records/kinds";
import { CheckButton } from "./check-button";
import { Due } from "./due";
import { Priority } from "./priority";

export interface TaskRowProps {
  task: Task;
  to: string;
  current: boolean;
  mayWrite: boolean;
  onToggle: () => void;
}

/** A task in one line; on phones, details without room are below the title. */
export function TaskRow({ task, to, current, mayWrite, onToggle }: TaskRowProps) {
  const { t } = useTranslation();
  const { find } = useMembers();
  const assignee = find(task.assigneeId);
  const title = task.title || t("ui.tasks.untitled");
  const done = task.subtasks.filter((one) => one.completed).length;
  return (
    <li
      data-item
      className={cx(
        "relative flex items-center gap-3 border-b border-hover px-4 py-2.5 transition-colors duration-150 last:border-0 hover:bg-sunken sm:px-5",
        current && "bg-tint-soft before:absolute before:inset-y-0 before:left-0 before:w-0.75 before:bg-primary hover:bg-tint-soft",
      )}
    >
      <span className="relative z-1 flex">
        <CheckButton title={title} completed={task.completed} disabled={!mayWrite} onToggle={onToggle} />
      </span>
      <span className="flex min-w-0 flex-1 flex-wrap items-center gap-x-3 gap-y-0.5 sm:flex-nowrap">
        <Link
          to={to}
          state={openedState}
          preventScrollReset
          data-row
          data-part="title"
          dir="auto"
          {...(mayWrite && { "aria-keyshortcuts": "Space", onKeyDown: onSpaceBar(onToggle) })}
          className={cx(
            twoLinesOnPhones,
            "block w-full min-w-0 outline-none after:absolute after:inset-0 after:content-[''] focus-visible:after:outline-2 focus-visible:after:-outline-offset-2 focus-visible:after:outline-primary sm:w-auto sm:flex-1",
            task.completed ? "text-muted line-through" : "text-ink",
          )}
        >
          {title}
        </Link>
        {task.subtasks.length > 0 && (
          <span className="inline-flex items-center gap-1 text-xs text-muted tabular-nums" title={t("ui.tasks.subtasks")}>
            <ListChecks aria-hidden size={14} />
            {t("ui.tasks.subtasksDone", { done: formatNumber(done), total: formatNumber(task.subtasks.length) })}
          </span>
        )}
        {task.tags.length > 0 && (
          <span className="hidden max-w-60 shrink-0 sm:inline-flex">
            <TagList kind="task" tags={task.tags} />
          </span>
        )}
        <span className="flex max-sm:empty:hidden sm:w-4">
          <Priority value={task.priority} />
        </span>
        <span className="sm:w-20 sm:text-right">{task.dueDate && <Due date={task.dueDate} completed={task.completed} />}</span>
      </span>
      <span className="grid size-7 shrink-0 place-items-center" title={assignee?.name}>
        {assignee && (
          <>
            <Avatar name={assignee.name} src={assignee.avatar} size={26} />
            <span className="sr-only">{t("ui.tasks.assignedTo", { name: assignee.name })}</span>
          </>
        )}
      </span>
    </li>
  );
}
