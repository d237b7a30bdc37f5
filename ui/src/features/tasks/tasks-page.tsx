import { useInfiniteQuery, useQuery, useQueryClient } from "@tanstack/react-query";
import { CircleCheck, Ellipsis, Pencil, Plus, Rows3, SearchX, SlidersHorizontal, Trash2 } from "lucide-react";
import { type FormEvent, useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { useLocation, useNavigate, useParams } from "react-router";
import { fieldError } from "@/api/errors";
import type { FieldValues, Task, TaskFilter } from "@/api/schema";
import { Button } from "@/components/button";
import { Checkbox } from "@/components/checkbox";
import { Dialog } from "@/components/dialog";
import { IconButton } from "@/components/icon-button";
import { Menu, MenuButton, MenuItem } from "@/components/menu";
import { MoreRows } from "@/components/more-rows";
import { Segmented } from "@/components/segmented";
import { TextField } from "@/components/text-field";
import { useMay, useUser } from "@/features/account/data";
import { useMayDelete } from "@/features/account/may-delete";
import { useFields } from "@/features/fields/data";
import { filledFields, NewFields } from "@/features/fields/new-fields";
import { ListScreen } from "@/features/lists/list-screen";
import { useList } from "@/features/lists/use-list";
import { useTextDraft } from "@/lib/drafts";
import { formatNumber } from "@/lib/format";
import { flag, oneOf } from "@/lib/search-params";
import { toast } from "@/lib/toast";
import { useAddressQuery } from "@/lib/use-address";
import { useFirstRows } from "@/lib/use-first-rows";
import { mondayOf } from "@/lib/week";
import { instantOf, isoDay } from "@/lib/zone";
import { useTaskColumns } from "./columns";
import { firstPlaceQuery, openTotalQuery, outlineQuery, tasksQuery, useAddTask, usePatchTask } from "./data";
import { firstOf, grouped } from "./order";
import { TaskRow } from "./task-row";
import { useRemoveTask } from "./use-remove-task";

const shows = ["all", "mine", "today", "overdue"] as const;
/** Views of completed tasks: offered only while one of them is open. */
const doneShows = ["done", "week"] as const;
const parsers = { show: oneOf([...shows, ...doneShows]), completed: flag };
/** Parameters of older links, and the columns that they filter. */
const aliases = { tag: "tags", assignee: "assigneeId" };
/** The order by position, which only tasks and sections have. */
const byPosition = "order";

/** Returns the filters that a choice of tasks stands for. */
function filtersOf(show: NonNullable<ReturnType<(typeof parsers)["show"]>>): string[] {
  switch (show) {
    case "all":
      return [];
    case "mine":
      return ["assigneeId:is:me"];
    case "today":
      return ["dueDate:is:today"];
    case "overdue":
      return ["dueDate:lte:today-1"];
    case "done":
      return ["completed:is:true"];
    case "week":
      return [`completedAt:gte:${mondayOf(isoDay())}`];
  }
}

function SectionDialog({ section, onSave, onClose }: { section: Task | undefined; onSave: (title: string) => void; onClose: () => void }) {
  const { t } = useTranslation();
  const [title, setTitle] = useState(section?.title ?? "");
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!title.trim()) return;
    onSave(title.trim());
    onClose();
  };
  return (
    <Dialog
      title={section ? t("ui.tasks.renameSection") : t("ui.tasks.addSection")}
      isOpen
      onOpenChange={(open) => !open && onClose()}
      footer={
        <>
          <Button onClick={onClose}>{t("ui.action.cancel")}</Button>
          <Button variant="primary" type="submit" form="section" disabled={!title.trim()}>
            {section ? t("ui.action.save") : t("ui.tasks.addSection")}
          </Button>
        </>
      }
    >
      <form id="section" onSubmit={submit}>
        <TextField
          label={t("ui.tasks.sectionName")}
          autoFocus
          maxLength={200}
          autoComplete="off"
          value={title}
          onChange={(event) => setTitle(event.target.value)}
        />
      </form>
    </Dialog>
  );
}

/** The list of tasks by sections, with a field for a new task at the top. */
export function TasksPage() {
  const { t } = useTranslation();
  const user = useUser();
  const navigate = useNavigate();
  const { id: current } = useParams();
  const { pathname } = useLocation();
  const { search, values, set } = useAddressQuery(parsers);
  const mayWrite = useMay("tasks.write");
  const mayDelete = useMayDelete("task");
  const client = useQueryClient();
  const line = useRef<HTMLInputElement>(null);
  const [text, setText] = useTextDraft(user.id, "task-line");
  const hasFields = useFields("task").length > 0;
  const [showsFields, setShowsFields] = useState(false);
  const [fields, setFields] = useState<FieldValues>({});
  const isWrong = useRef(false);
  const [editing, setEditing] = useState<{ section: Task | undefined } | undefined>();

  const { show = "all", completed = false } = values;
  const [tags, setTags] = useState<string[]>([]);
  const list = useList<Task>({
    kind: "task",
    columns: useTaskColumns(tags),
    order: byPosition,
    address: { query: search, set },
    aliases,
    controls: { parameters: ["show"], filters: filtersOf(show) },
  });
  const { q, filter: filters, sort } = list.request;
  const onlyDone = show === "done" || show === "week";
  // A filter by completion says itself which tasks it means.
  const byCompletion = list.entries.some(({ condition }) => condition?.column === "completed" || condition?.column === "completedAt");
  const withDone = completed || onlyDone || byCompletion;

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
  const weekStart = instantOf(mondayOf(isoDay()), "00:00").getTime();
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
  const readTags = [...new Set(read.flatMap((task) => task.tags))].sort((a, b) => a.localeCompare(b)).join("\n");
  useEffect(() => setTags(readTags ? readTags.split("\n") : []), [readTags]);

  const patch = usePatchTask();
  const add = useAddTask();
  const remove = useRemoveTask();

  const focusLine = () => {
    line.current?.focus();
    line.current?.scrollIntoView({ block: "center" });
  };
  const asked = pathname === "/tasks/new";
  useEffect(() => {
    if (asked) line.current?.focus();
  }, [asked]);

  const quickAdd = async (event: FormEvent) => {
    event.preventDefault();
    const title = text.trim();
    if (!title || (showsFields && isWrong.current)) return;
    // A task that is added to a filtered list gets what the list is filtered by.
    const assignee = show === "mine" ? "me" : list.onlyValue("assigneeId");
    const tag = list.onlyValue("tags");
    const customer = list.onlyValue("customerId");
    const priority = list.onlyValue("priority");
    setText("");
    // Before all tasks: a filtered list has read only some of them.
    const places = sectioned ? [...all, ...(outline?.places ?? [])] : await client.fetchQuery(firstPlaceQuery).catch(() => all);
    add.mutate(
      {
        title,
        order: firstOf(undefined, places),
        ...(customer && { customerId: customer }),
        ...(priority && { priority: Number(priority) as Task["priority"] }),
        ...(assignee && { assigneeId: assignee === "me" ? user.id : assignee }),
        ...(show === "today" && { dueDate: isoDay() }),
        ...(tag && { tags: [tag] }),
        ...filledFields(fields),
      },
      {
        onSuccess: () => {
          setFields({});
          // The list may not show it.
          if (sectioned) return;
          toast.success(t("ui.records.added", { title }));
        },
        onError: () => setText(line.current?.value || title),
      },
    );
  };
  const toggle = (task: Task) => {
    const completed = !task.completed;
    patch.mutate(
      { id: task.id, patch: { completed } },
      {
        onSuccess: () => {
          // The list may show open tasks only: then the toast offers to undo.
          if (!completed || withDone) return;
          toast.success(t("ui.tasks.completedToast", { title: task.title || t("ui.tasks.untitled") }), {
            label: t("ui.action.undo"),
            run: () => patch.mutate({ id: task.id, patch: { completed: false } }),
          });
        },
      },
    );
  };
  const nothing = tasks.every((task) => task.type === "section") && sections.length === 0;
  const narrowed = list.isFiltered || show !== "all";
  // Other filters say nothing about all tasks.
  const none = list.isFiltered ? "all" : show;

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
        noMatch={
          narrowed
            ? {
                icon: none === "overdue" || none === "today" || none === "mine" ? CircleCheck : SearchX,
                title: t(`ui.tasks.none.${none}`),
                text: t(`ui.tasks.noneText.${none}`),
                clear: t("ui.tasks.showAll"),
              }
            : undefined
        }
        emptyText={mayWrite ? t("ui.tasks.emptyText") : t("ui.tasks.emptyReader")}
        onNew={focusLine}
        actions={
          <Button icon={Rows3} onClick={() => setEditing({ section: undefined })}>
            {t("ui.tasks.addSection")}
          </Button>
        }
        controls={
          <>
            <Segmented
              label={t("ui.tasks.show")}
              value={show}
              onChange={(value) => list.set({ show: value === "all" ? undefined : value })}
              options={[...shows, ...(onlyDone ? [show] : [])].map((value) => ({
                value,
                label: t(`ui.tasks.shows.${value}`),
              }))}
            />
            {!onlyDone && !byCompletion && (
              <Checkbox
                className="text-sm text-soft"
                checked={withDone}
                onChange={(event) => set({ completed: event.target.checked ? "1" : undefined })}
              >
                {t("ui.tasks.showCompleted")}
              </Checkbox>
            )}
          </>
        }
        above={
          mayWrite &&
          !onlyDone && (
            <form
              onSubmit={(event) => void quickAdd(event)}
              className="no-print flex flex-wrap items-center gap-x-3 border-b border-line px-4 py-1.5 focus-within:bg-tint-soft/50 sm:px-5"
            >
              <span
                aria-hidden
                className="grid size-5.5 shrink-0 place-items-center rounded-full border-[1.75px] border-dashed border-gray-400 text-gray-500"
              >
                <Plus size={13} />
              </span>
              <input
                ref={line}
                aria-label={t("ui.tasks.add")}
                placeholder={t("ui.tasks.quickAdd")}
                value={text}
                maxLength={300}
                autoComplete="off"
                enterKeyHint="done"
                onChange={(event) => setText(event.target.value)}
                onKeyDown={(event) => {
                  if (event.key !== "Escape") return;
                  setText("");
                  event.currentTarget.blur();
                  if (asked) void navigate(`/tasks${list.addressText}`, { replace: true, preventScrollReset: true });
                }}
                className="h-10 min-w-0 flex-1 bg-transparent outline-none placeholder:text-muted"
              />
              {text.trim() && hasFields && (
                <IconButton
                  label={t("ui.fields.title")}
                  icon={SlidersHorizontal}
                  size="sm"
                  aria-expanded={showsFields}
                  onClick={() => setShowsFields(!showsFields)}
                />
              )}
              {text.trim() && (
                <Button size="sm" variant="primary" type="submit">
                  {t("ui.action.add")}
                </Button>
              )}
              {text.trim() && showsFields && (
                <NewFields
                  kind="task"
                  value={fields}
                  onChange={setFields}
                  onWrong={(wrong) => {
                    isWrong.current = wrong;
                  }}
                  error={(key) => fieldError(add.error, `fields.${key}`)}
                  className="w-full max-w-160 pt-2 pb-4 pl-8.5"
                />
              )}
            </form>
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
      {editing && (
        <SectionDialog
          section={editing.section}
          onClose={() => setEditing(undefined)}
          onSave={(title) =>
            editing.section
              ? patch.mutate({ id: editing.section.id, patch: { title } })
              : // Behind all tasks, also those that are not read.
                add.mutate({ type: "section", title }, { onSuccess: () => toast.success(t("ui.records.added", { title })) })
          }
        />
      )}
    </>
  );
}
