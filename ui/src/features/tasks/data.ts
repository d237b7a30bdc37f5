import {
  type InfiniteData,
  infiniteQueryOptions,
  keepPreviousData,
  type QueryClient,
  queryOptions,
  useMutation,
  useQueryClient,
} from "@tanstack/react-query";
import { api, ifMatch } from "@/api/client";
import type { List, NewTask, Task, TaskFilter, TaskPatch } from "@/api/schema";
import { listsOf, recordQuery } from "@/records/data";
import { noteCreated } from "@/records/undo-change";

/** Tasks per request. */
const pageSize = 100;

export const tasksQuery = (filter: TaskFilter) =>
  infiniteQueryOptions({
    queryKey: ["tasks", "rows", filter],
    queryFn: ({ pageParam, signal }) => api.get("/api/tasks", { query: { ...filter, limit: pageSize, cursor: pageParam }, signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page: List<Task>) => page.nextCursor,
    placeholderData: keepPreviousData,
  });

/**
 * The number of open tasks that match a filter, if not all were read. Includes sections, unless the filter excludes
 * them.
 */
export const openTotalQuery = (filter: TaskFilter) =>
  queryOptions({
    queryKey: ["tasks", "open-total", filter],
    queryFn: async ({ signal }) => {
      const query = { ...filter, completed: false, sort: "order", limit: 1 };
      return (await api.get("/api/tasks", { query, signal })).total;
    },
    placeholderData: keepPreviousData,
  });

/** Maximum pages read for the outline: sections do not help beyond 2,000 tasks. */
const outlinePages = 10;

/** The sections in order, and the positions in use. */
export const outlineQuery = queryOptions({
  queryKey: ["tasks", "outline"],
  queryFn: async ({ signal }) => {
    const found: Task[] = [];
    let cursor: string | undefined;
    for (let page = 0; page < outlinePages; page += 1) {
      const answer: List<Task> = await api.get("/api/tasks", { query: { sort: "order", limit: 200, cursor }, signal });
      found.push(...answer.items);
      cursor = answer.nextCursor;
      if (!cursor) break;
    }
    return { sections: found.filter((task) => task.type === "section"), places: found.map(({ order }) => ({ order })) };
  },
  staleTime: 60_000,
});

/** The first task or section in the manual order. */
export const firstPlaceQuery = queryOptions({
  queryKey: ["tasks", "first-place"],
  queryFn: async ({ signal }) => (await api.get("/api/tasks", { query: { sort: "order", limit: 1 }, signal })).items,
  staleTime: 0,
});

/** Changes a task in all cached lists at once. */
export function show(client: QueryClient, id: string, change: (task: Task) => Task | undefined) {
  const changed = (page: List<Task>) => ({ ...page, items: page.items.flatMap((task) => (task.id === id ? (change(task) ?? []) : task)) });
  client.setQueriesData<InfiniteData<List<Task>>>(
    { queryKey: ["tasks", "rows"] },
    (data) => data && { ...data, pages: data.pages.map(changed) },
  );
  client.setQueriesData<List<Task>>({ queryKey: ["tasks", "list"] }, (data) => data && changed(data));
}

/** Reads the lists of tasks again: by section, and as a table. */
export const refreshLists = (client: QueryClient) => client.invalidateQueries(listsOf("task"));

/** Returns a task after a patch; null removes a value. */
export function patched(task: Task, patch: TaskPatch): Task {
  // A map has no prototype that a key of the patch could change.
  const next = new Map<string, unknown>(Object.entries(task));
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) next.delete(name);
    else if (value !== undefined) next.set(name, value);
  }
  return Object.fromEntries(next) as unknown as Task;
}

/** Refreshes numbers elsewhere that depend on tasks. */
export function refreshFigures(client: QueryClient) {
  void client.invalidateQueries({ queryKey: ["dashboards"] });
  void client.invalidateQueries({ queryKey: ["navigation"] });
  void client.invalidateQueries({ queryKey: ["tasks", "of-customer"] });
}

/** Changes a task: shown at once, reverted when the server refuses. With a version, no other change is overwritten. */
export function usePatchTask(handled = false) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ id, patch, version }: { id: string; patch: TaskPatch; version?: number }) =>
      api.patch("/api/tasks/{id}", patch, { path: { id }, header: ifMatch(version), keepalive: true }),
    meta: { handled },
    onMutate: ({ id, patch }) => {
      show(client, id, (task) => patched(task, patch));
      client.setQueryData(recordQuery("task", id).queryKey, (task) => task && patched(task, patch));
    },
    onSuccess: (task) => {
      show(client, task.id, () => task);
      client.setQueryData(recordQuery("task", task.id).queryKey, task);
      if (task.type === "section") void client.invalidateQueries({ queryKey: outlineQuery.queryKey });
      refreshFigures(client);
    },
    onError: (_error, { id }) => {
      if (handled) return;
      void refreshLists(client);
      void client.invalidateQueries({ queryKey: recordQuery("task", id).queryKey });
    },
  });
}

export function useAddTask() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (task: NewTask) => api.post("/api/tasks", task),
    meta: { handled: true },
    onSuccess: (task) => {
      noteCreated(client, "task", task);
      client.setQueryData(recordQuery("task", task.id).queryKey, task);
      void client.invalidateQueries({ queryKey: outlineQuery.queryKey });
      refreshFigures(client);
      return refreshLists(client);
    },
  });
}
