import { type InfiniteData, infiniteQueryOptions, queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { api, ifMatch } from "@/api/client";
import type {
  Activity,
  ActivityPatch,
  Comment,
  NewActivity,
  NewComment,
  RecordFile,
  RecordLink,
  Timeline,
  TimelineEntry,
  TimelinePart,
} from "@/api/schema";
import { changeComments, postActivity, refreshActivity, type TimelineOf, timelineKey, timelinePath } from "@/records/timelines";
import { endOffer } from "./logging";

/** The timeline of a record, or one part of it, page by page. */
export const timelineQuery = (record: TimelineOf, part: TimelinePart | undefined) =>
  infiniteQueryOptions({
    queryKey: [...timelineKey(record), part ?? "all"],
    queryFn: ({ pageParam, signal }) =>
      api.get("/api/{kind}/{id}/timeline", { path: timelinePath(record), query: { part, cursor: pageParam, limit: 30 }, signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextCursor }) => nextCursor,
    staleTime: 10_000,
  });

/** Changes the comments of a record. What the server answers is shown at once. */
export function useCommentCalls(record: TimelineOf) {
  const client = useQueryClient();
  const path = timelinePath(record);
  const change = (to: (items: TimelineEntry[]) => TimelineEntry[]) => changeComments(client, record, to);
  const show = (comment: Comment) => change((items) => items.map((one) => (one.id === comment.id ? { ...one, comment } : one)));
  return {
    edit: useMutation({
      mutationFn: ({ id: commentId, ...patch }: Pick<Comment, "id" | "value" | "mentions"> & { references: NewComment["references"] }) =>
        api.patch("/api/{kind}/{id}/comments/{commentId}", patch, { path: { ...path, commentId } }),
      // Without a connection it fails, and its field says so and keeps what was typed.
      networkMode: "always",
      meta: { handled: true },
      onSuccess: show,
    }),
    remove: useMutation({
      mutationFn: (commentId: string) => api.delete("/api/{kind}/{id}/comments/{commentId}", { path: { ...path, commentId } }),
      onSuccess: (_done, removed) => change((items) => items.filter(({ id }) => id !== removed)),
    }),
    react: useMutation({
      mutationFn: ({ id: commentId, emoji, on }: { id: string; emoji: string; on: boolean }) =>
        api.post("/api/{kind}/{id}/comments/{commentId}/reactions", { emoji, on }, { path: { ...path, commentId } }),
      onSuccess: show,
    }),
  };
}

/** Logs, changes and removes activities; the timelines and records that they concern are read again. */
export function useActivityCalls() {
  const client = useQueryClient();
  /** Changes the entries of activities in all timelines that were read. */
  const change = (id: string, to: (activity: Activity) => Activity | undefined) =>
    client.setQueriesData<InfiniteData<Timeline, string | undefined>>({ queryKey: ["timeline"] }, (known) => {
      if (!known) return known;
      const items = (page: Timeline) =>
        page.items.flatMap((entry) => {
          if (entry.activity?.id !== id) return [entry];
          const activity = to(entry.activity);
          return activity ? [{ ...entry, activity, at: activity.at }] : [];
        });
      // One whose time was changed moves among the entries that were read.
      const ordered = known.pages.flatMap(items).sort((a, b) => Date.parse(b.at) - Date.parse(a.at));
      let from = 0;
      const pages = known.pages.map((page) => {
        const to = from + items(page).length;
        const own = { ...page, items: ordered.slice(from, to) };
        from = to;
        return own;
      });
      return { ...known, pages };
    });
  return {
    create: useMutation({
      mutationFn: ({ key, ...activity }: NewActivity & { key: string }) => postActivity(client, activity, key),
      meta: { handled: true },
      onSuccess: (activity) => {
        if (activity.type === "call") for (const { recordId } of activity.links) endOffer(recordId);
      },
    }),
    edit: useMutation({
      mutationFn: ({ id, version, patch }: Pick<Activity, "id" | "version"> & { patch: ActivityPatch }) =>
        api.patch("/api/activities/{id}", patch, { path: { id }, header: ifMatch(version) }),
      networkMode: "always",
      meta: { handled: true },
      onSuccess: (activity) => {
        change(activity.id, () => activity);
        refreshActivity(client, activity);
      },
    }),
    remove: useMutation({
      mutationFn: ({ id }: Activity) => api.delete("/api/activities/{id}", { path: { id } }),
      onMutate: ({ id }) => change(id, () => undefined),
      onSettled: (_done, _error, activity) => refreshActivity(client, activity),
    }),
  };
}

/** Reads an activity as it is now; undefined when it cannot be read. */
export const readActivity = (id: string) => api.get("/api/activities/{id}", { path: { id } }).catch(() => undefined);

/** The files on a record, the newest first. */
export const filesQuery = (record: TimelineOf) =>
  queryOptions({
    queryKey: ["files", record.id],
    queryFn: async ({ signal }) => (await api.get("/api/{kind}/{id}/files", { path: timelinePath(record), signal })).items,
    staleTime: 10_000,
  });

/** Attaches and removes files; the list shows it at once. */
export function useFileCalls(record: TimelineOf) {
  const client = useQueryClient();
  const path = timelinePath(record);
  const { queryKey } = filesQuery(record);
  const refresh = () => {
    for (const key of [queryKey, timelineKey(record), [path.kind]]) void client.invalidateQueries({ queryKey: key });
  };
  return {
    add: useMutation({
      mutationFn: (file: string) => api.post("/api/{kind}/{id}/files", { path: file }, { path }),
      onSuccess: (added) => client.setQueryData(queryKey, (known) => known && [added, ...known.filter(({ id }) => id !== added.id)]),
      onSettled: refresh,
    }),
    remove: useMutation({
      mutationFn: (file: RecordFile) => api.delete("/api/{kind}/{id}/files/{fileId}", { path: { ...path, fileId: file.id } }),
      onMutate: (removed) => client.setQueryData(queryKey, (known) => known?.filter(({ id }) => id !== removed.id)),
      onSettled: refresh,
    }),
  };
}

/** The links of a record, the newest first. */
export const linksQuery = (record: TimelineOf) =>
  queryOptions({
    queryKey: ["links", record.id],
    queryFn: async ({ signal }) => (await api.get("/api/{kind}/{id}/links", { path: timelinePath(record), signal })).items,
    staleTime: 10_000,
  });

/** Links a record that was just created to another one. */
export function useLinkCreated() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ record, other }: { record: TimelineOf; other: TimelineOf }) =>
      api.post("/api/{kind}/{id}/links", { kind: other.kind, recordId: other.id }, { path: timelinePath(record) }),
    onSettled: () => {
      for (const key of [["links"], ["timeline"]]) void client.invalidateQueries({ queryKey: key });
    },
  });
}

/** Links a record to others, and removes links; the list shows it at once. */
export function useLinkCalls(record: TimelineOf) {
  const client = useQueryClient();
  const path = timelinePath(record);
  const { queryKey } = linksQuery(record);
  const refresh = () => {
    // The other record has the link, too.
    for (const key of [["links"], ["timeline"]]) void client.invalidateQueries({ queryKey: key });
  };
  return {
    add: useMutation({
      mutationFn: (other: Pick<RecordLink, "kind" | "recordId">) => api.post("/api/{kind}/{id}/links", other, { path }),
      onSuccess: (added) => client.setQueryData(queryKey, (known) => known && [added, ...known.filter(({ id }) => id !== added.id)]),
      onSettled: refresh,
    }),
    remove: useMutation({
      mutationFn: (link: RecordLink) => api.delete("/api/{kind}/{id}/links/{linkId}", { path: { ...path, linkId: link.id } }),
      onMutate: (removed) => client.setQueryData(queryKey, (known) => known?.filter(({ id }) => id !== removed.id)),
      onSettled: refresh,
    }),
  };
}
