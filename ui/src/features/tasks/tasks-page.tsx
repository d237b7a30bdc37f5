import { useInfiniteQuery, useQuery, useQueryClient } from "@tanstack/react-query";
import { Ellipsis, Pencil, Rows3, Trash2 } from "lucide-react";
import { type FormEvent, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { useParams } from "react-router";
import { errorText, fieldError } from "@/api/errors";
import type { Task, TaskFilter } from "@/api/schema";
import { Alert } from "@/components/alert";
import { Button } from "@/components/button";
import { Dialog } from "@/components/dialog";
import { IconButton } from "@/components/icon-button";
import { Menu, MenuButton, MenuItem } from "@/components/menu";
import { MoreRows } from "@/components/more-rows";
import { TextField } from "@/components/text-field";
import { useMay, useUser } from "@/features/account/data";
import { useMayDelete } from "@/features/account/may-delete";
import { ListScreen } from "@/features/lists/list-screen";
import { useList } from "@/features/lists/use-list";
import { formatNumber } from "@/lib/format";
import { oneOf } from "@/lib/search-params";
import { toast } from "@/lib/toast";
import { useAddressQuery } from "@/lib/use-address";
import { useFirstRows } from "@/lib/use-first-rows";
import { weekOf } from "@/lib/week";
import { instantOf, isoDay } from "@/lib/zone";
import { isStale } from "@/records/conflicts";
import { recordQuery } from "@/records/data";
import { useTaskColumns } from "./columns";
import { openTotalQuery, outlineQuery, refreshLists, tasksQuery, useAddTask, usePatchTask } from "./data";
import { LayoutLink, layouts } from "./layout-link";
import { grouped } from "./order";
import { focusLine, TaskLine } from "./task-line";
import { TaskRow } from "./task-row";
import { aliases, byPosition, isByCompletion, ShowControls, ShowItems, useTaskShow } from "./task-show";
import { TasksTable } from "./tasks-table";
import { useRemoveTask } from "./use-remove-task";
import { useToggleTask } from "./use-toggle-task";

const layoutParsers = { layout: oneOf(layouts) };

/** Adds a section, or renames one; it stays open until the name is saved. */
function SectionDialog({ section, onClose }: { section: Task | undefined; onClose: () => void }) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const [title, setTitle] = useState(section?.title ?? "");
  const patch = usePatchTask(true);
  const add = useAddTask();
  /** The section as it was last read. */
  const known = useRef(section);
  /** The name that a colleague gave it in the meantime. */
  const [theirs, setTheirs] = useState<string>();
  const error = theirs === undefined ? (patch.error ?? add.error) : null;
  const isBusy = patch.isPending || add.isPending;
  const rename = async ({ id, version, title: before }: Task, name: string): Promise<void> => {
    try {
      await patch.mutateAsync({ id, version, patch: { title: name } });
      onClose();
    } catch (error) {
      // The lists show the new name already.
      void refreshLists(client);
      if (!isStale(error)) return;
      const latest = await client.fetchQuery({ ...recordQuery("task", id), staleTime: 0 });
      known.current = latest;
      if (latest.title === before) return rename(latest, name);
      setTheirs(latest.title);
    }
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const name = title.trim();
    if (!name || isBusy) return;
    setTheirs(undefined);
    if (known.current) return void rename(known.current, name).catch(() => undefined);
    const added = () => {
      toast.success(t("ui.records.added", { title: name }));
      onClose();
    };
    // Behind all tasks, also those that are not read.
    add.mutate({ type: "section", title: name }, { onSuccess: added });
  };
  return (
    <Dialog
      title={section ? t("ui.tasks.renameSection") : t("ui.tasks.addSection")}
      isOpen
      onOpenChange={(open) => !open && onClose()}
      footer={
        <>
          <Button onClick={onClose}>{t("ui.action.cancel")}</Button>
          <Button variant="primary" type="submit" form="section" busy={isBusy} disabled={!title.trim()}>
            {section ? t("ui.action.save") : t("ui.tasks.addSection")}
          </Button>
        </>
      }
    >
      <form id="section" onSubmit={submit} className="grid grid-cols-1 gap-4">
        {error !== null && !fieldError(error, "title") && <Alert kind="error">{errorText(error)}</Alert>}
        {theirs !== undefined && (
          <Alert kind="error">
            {t("ui.versions.changedMeanwhile")} <b className="font-medium [overflow-wrap:anywhere]">{theirs}</b>
          </Alert>
        )}
        <TextField
          label={t("ui.tasks.sectionName")}
          autoFocus
          maxLength={200}
          autoComplete="off"
          value={title}
          error={fieldError(error, "title")}
          onChange={(event) => setTitle(event.target.value)}
        />
      </form>
    </Dialog>
  );
}

/** The tasks by section, with a field for a new one at the top. */
function TaskOutline({ list }: { list: ReturnType<typeof useList<Task>> }) {
  const { t } = useTranslation();
  const user = useUser();
  const { id: current } = useParams();
  const mayWrite = useMay("tasks.write");
  const mayDelete = useMayDelete("task");
  const line = useRef<HTMLInputElement>(null);
  const [editing, setEditing] = useState<{ section: Task | undefined } | undefined>();

  const { show, onlyDone, ...choice } = useTaskShow();
  const { q, filter: filters, sort } = list.request;
  const byCompletion = isByCompletion(list.entries);
  const withDone = choice.withDone(list.entries);

  const sectioned = show === "all" && !list.isFiltered && sort === byPosition;
  const filter: TaskFilter = {
    q,
    filter: filters,
    completed: onlyDone ? true : withDone ? undefined : false,
    assigneeId: show === "mine" ? user.id : undefined,
    due: show === "today" || show === "overdue" ? show : undefined,
    sort: onlyDone && sort === byPosition ? "-updatedAt" : sort,
  };
  const query = useInfiniteQuery({ ...tasksQuery(filter), enabled: list.mayRead });
  const data = list.isKnown ? query.data : undefined;
  const { data: outline } = useQuery({ ...outlineQuery, enabled: sectioned });
  const sections = sectioned ? (outline?.sections ?? []) : [];
  const read = data?.pages.flatMap((page) => page.items) ?? [];
  // The week begins in the member's time zone, as on the dashboard. A task is never completed after its last change, so
  // the first one not changed this week ends the list.
  const weekStart = instantOf(weekOf(isoDay()), "00:00").getTime();
  const isThisWeek = (at: string | undefined) => at !== undefined && Date.parse(at) >= weekStart;
  const tasks = show === "week" ? read.filter(({ completedAt }) => isThisWeek(completedAt)) : read;
  const hasNextPage = query.hasNextPage && (show !== "week" || isThisWeek(read.at(-1)?.updatedAt));
  const all = sectioned
    ? [...tasks.filter((task) => task.type === "task"), ...sections].sort((a, b) => a.order - b.order)
    : tasks.filter((task) => task.type === "task");
  // Tasks after the last loaded one are unknown: neither whether a section is empty, nor how many it has.
  const known = hasNextPage ? (read.at(-1)?.order ?? 0) : Number.POSITIVE_INFINITY;
  const isKnownUpTo = (end: Task | undefined) => (end?.order ?? Number.POSITIVE_INFINITY) <= known;
  const groups = grouped(useFirstRows(all)).filter(({ section, tasks: rows }) => !section || section.order <= known || rows.length > 0);
  const { data: openTotal } = useQuery({ ...openTotalQuery(filter), enabled: Boolean(hasNextPage) && !onlyDone });
  const open = tasks.filter((task) => task.type === "task" && !task.completed).length;

  const remove = useRemoveTask();
  const toggle = useToggleTask(withDone);

  const nothing = tasks.every((task) => task.type === "section") && sections.length === 0;
  const narrowed = list.isFiltered || show !== "all";

  const lead = () => {
    if (byCompletion && !onlyDone) {
      const total = data?.pages[0]?.total ?? 0;
      return t("ui.tasks.found", { count: total, number: formatNumber(total) });
    }
    if (onlyDone) {
      const count = show === "week" ? tasks.length : (data?.pages[0]?.total ?? tasks.length);
      return t(hasNextPage && show === "week" ? "ui.tasks.doneCountMore" : "ui.tasks.doneCount", { count, number: formatNumber(count) });
    }
    // Only the whole list can show that everything is done.
    if (open === 0 && !nothing && !narrowed && !hasNextPage) return t("ui.tasks.allDone");
    if (!hasNextPage) return t("ui.tasks.remaining", { count: open, number: formatNumber(open) });
    if (openTotal === undefined) return t("ui.tasks.remainingMore", { count: open, number: formatNumber(open) });
    const count = openTotal - sections.length;
    return t("ui.tasks.remaining", { count, number: formatNumber(count) });
  };

  return (
    <>
      <ListScreen
        kind="task"
        list={list}
        page={data?.pages[0]}
        query={query}
        lead={lead()}
        isEmpty={nothing}
        noMatch={choice.noMatch(list)}
        emptyText={mayWrite ? t("ui.tasks.emptyText") : t("ui.tasks.emptyReader")}
        onNew={() => focusLine(line)}
        actions={
          <>
            <LayoutLink layout="table" />
            <Button icon={Rows3} onClick={() => setEditing({ section: undefined })}>
              {t("ui.tasks.addSection")}
            </Button>
          </>
        }
        controls={<ShowControls list={list} />}
        menu={<ShowItems list={list} />}
        above={
          mayWrite &&
          !onlyDone && (
            <TaskLine list={list} show={show} input={line} places={sectioned ? [...all, ...(outline?.places ?? [])] : undefined} />
          )
        }
      >
        {groups.map(({ section, tasks: inSection }, at) => (
          <section
            key={section?.id ?? "top"}
            className="border-hover not-first:border-t"
            aria-label={section?.title ?? t("ui.tasks.title")}
          >
            {section && (
              <header className="flex min-h-11 items-center gap-2 border-b border-hover bg-sunken pr-2 pl-4 sm:pl-5">
                <h2 dir="auto" className="min-w-0 flex-1 truncate font-bold text-ink">
                  {section.title}
                  {isKnownUpTo(groups[at + 1]?.section) && (
                    <span className="ml-2 text-sm font-normal text-muted tabular-nums">
                      {formatNumber(inSection.filter((one) => !one.completed).length)}
                    </span>
                  )}
                </h2>
                {mayWrite && (
                  <MenuButton
                    button={(attributes) => (
                      <IconButton label={t("ui.tasks.sectionMenu", { title: section.title })} icon={Ellipsis} size="sm" {...attributes} />
                    )}
                  >
                    <Menu aria-label={section.title}>
                      <MenuItem icon={<Pencil aria-hidden size={16} />} onAction={() => setEditing({ section })}>
                        {t("ui.tasks.renameSection")}
                      </MenuItem>
                      {mayDelete(section) && (
                        <MenuItem danger icon={<Trash2 aria-hidden size={16} />} onAction={() => remove(section)}>
                          {t("ui.tasks.deleteSection")}
                        </MenuItem>
                      )}
                    </Menu>
                  </MenuButton>
                )}
              </header>
            )}
            {inSection.length > 0 ? (
              <ul>
                {inSection.map((task) => (
                  <TaskRow
                    key={task.id}
                    task={task}
                    to={`/tasks/${task.id}${list.addressText}`}
                    current={task.id === current}
                    mayWrite={mayWrite}
                    onToggle={() => toggle(task)}
                  />
                ))}
              </ul>
            ) : (
              isKnownUpTo(groups[at + 1]?.section) && <p className="px-5 py-3 text-sm text-muted">{t("ui.tasks.sectionEmpty")}</p>
            )}
          </section>
        ))}
        {hasNextPage && <MoreRows label={t("ui.tasks.more")} busy={query.isFetchingNextPage} onMore={() => void query.fetchNextPage()} />}
      </ListScreen>
      {editing && <SectionDialog section={editing.section} onClose={() => setEditing(undefined)} />}
    </>
  );
}

/** The tasks, by section or as a table. A view for which columns were chosen is a table. */
export function TasksPage() {
  const { search, values, set } = useAddressQuery(layoutParsers);
  const list = useList<Task>({
    kind: "task",
    columns: useTaskColumns(),
    order: byPosition,
    address: { query: search, set },
    aliases,
    narrowing: useTaskShow().narrowing,
  });
  const { layout = list.isChosen ? "table" : "sections" } = values;
  return layout === "table" ? <TasksTable /> : <TaskOutline list={{ ...list, showable: [] }} />;
}
