import { CircleCheck, SearchX } from "lucide-react";
import { useTranslation } from "react-i18next";
import { Checkbox } from "@/components/checkbox";
import { MenuGroup, MenuItem } from "@/components/menu";
import { Segmented } from "@/components/segmented";
import type { AnyList } from "@/features/lists/use-list";
import { useAtLeast } from "@/lib/media";
import { flag, oneOf } from "@/lib/search-params";
import { useAddressQuery } from "@/lib/use-address";
import { weekOf } from "@/lib/week";
import { isoDay } from "@/lib/zone";

/** Parameters of older links, and the columns that they filter. */
export const aliases = { tag: "tags", assignee: "assigneeId" };
/** The order by position, which only tasks and sections have. */
export const byPosition = "order";

const shows = ["all", "mine", "today", "overdue"] as const;
/** Choices of completed tasks: offered only while one of them is open. */
const doneShows = ["done", "week"] as const;
const parsers = { show: oneOf([...shows, ...doneShows]), completed: flag };

/** Which tasks a list shows besides its filters. */
export type TaskShow = (typeof shows)[number] | (typeof doneShows)[number];

/** Returns the filters that a choice of tasks stands for. */
function filtersOf(show: TaskShow): string[] {
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
      return [`completedAt:gte:${weekOf(isoDay())}`];
  }
}

/** Whether a list is filtered by completion: the filter then says itself which tasks it means. */
export const isByCompletion = (entries: AnyList["entries"]) =>
  entries.some(({ condition }) => condition?.column === "completed" || condition?.column === "completedAt");

/** Returns which tasks the address asks for. */
export function useTaskShow() {
  const { t } = useTranslation();
  const { show = "all", completed = false } = useAddressQuery(parsers).values;
  const onlyDone = show === "done" || show === "week";
  const filters = filtersOf(show);
  return {
    show,
    /** Whether only completed tasks are shown. */
    onlyDone,
    /** Whether only open tasks are shown, as far as the filters do not ask for others. */
    onlyOpen: !completed && !onlyDone,
    /** What the choice narrows a list to that makes the call itself. */
    narrowing: { parameters: ["show"], filters },
    /** The filters of the call for a table, which sections never pass. */
    requestFilters: (entries: AnyList["entries"]) => {
      if (onlyDone || isByCompletion(entries)) return filters;
      return [...filters, completed ? "createdAt:set" : "completed:is:false"];
    },
    /** Whether completed tasks are shown, too. */
    withDone: (entries: AnyList["entries"]) => completed || onlyDone || isByCompletion(entries),
    /** Returns what a list shows when no task matches; undefined for the list of all tasks. */
    noMatch: ({ isFiltered }: AnyList) => {
      if (!isFiltered && show === "all") return undefined;
      // Other filters say nothing about all tasks.
      const none = isFiltered ? "all" : show;
      return {
        icon: none === "overdue" || none === "today" || none === "mine" ? CircleCheck : SearchX,
        title: t(`ui.tasks.none.${none}`),
        text: t(`ui.tasks.noneText.${none}`),
        clear: t("ui.tasks.showAll"),
      };
    },
  };
}

/** Returns whether a list shows completed tasks, too, and what changes that; undefined where there is nothing to choose. */
function useCompleted(list: AnyList) {
  const { onlyDone, withDone } = useTaskShow();
  if (onlyDone || isByCompletion(list.entries)) return undefined;
  return { isShown: withDone(list.entries), show: (shows: boolean) => list.set({ completed: shows ? "1" : undefined }) };
}

/** Chooses which tasks a list shows. */
export function ShowControls({ list }: { list: AnyList }) {
  const { t } = useTranslation();
  const { show, onlyDone } = useTaskShow();
  const completed = useCompleted(list);
  const hasRoom = useAtLeast("sm");
  return (
    <>
      <Segmented
        label={t("ui.tasks.show")}
        value={show}
        onChange={(value) => list.set({ show: value === "all" ? undefined : value })}
        options={[...shows, ...(onlyDone ? [show] : [])].map((value) => ({ value, label: t(`ui.tasks.shows.${value}`) }))}
      />
      {hasRoom && completed && (
        <Checkbox className="text-sm text-soft" checked={completed.isShown} onChange={(event) => completed.show(event.target.checked)}>
          {t("ui.tasks.showCompleted")}
        </Checkbox>
      )}
    </>
  );
}

/** What of it is in the menu of a list on phones. */
export function ShowItems({ list }: { list: AnyList }) {
  const { t } = useTranslation();
  const completed = useCompleted(list);
  if (!completed) return null;
  return (
    <MenuGroup
      label={t("ui.tasks.show")}
      selectionMode="multiple"
      selectedKeys={completed.isShown ? ["completed"] : []}
      onSelectionChange={(keys) => completed.show(keys === "all" || keys.has("completed"))}
    >
      <MenuItem id="completed">{t("ui.tasks.showCompleted")}</MenuItem>
    </MenuGroup>
  );
}
