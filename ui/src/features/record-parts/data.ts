import { type InfiniteData, infiniteQueryOptions, queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { api, ifMatch } from "@/api/client";
import type {
  Activity,
  ActivityPatch,
  Comment,
  NewActivity,
  NewComment,
  RecordFile,
  RecordKind,
  RecordLink,
  Timeline,
  TimelineEntry,
  TimelinePart,
} from "@/api/schema";
import { queryKeysOf, recordKinds } from "@/records/kinds";
import { endOffer } from "./logging";

/** The kinds of records that have comments, files and a timeline. */
export type TimelineKind = Exclude<RecordKind, "member">;

/** A record with such parts. */
export interface TimelineOf {
  kind: TimelineKind;
  id: string;
}

const pathOf = ({ kind, id }: TimelineOf) => ({ kind: recordKinds[kind].name, id });

const timelineKey = ({ id }: TimelineOf) => ["timeline", id];

/** The timeline of a record, or one part of it, page by page. */
export const timelineQuery = (record: TimelineOf, part: TimelinePart | undefined) =>
  infiniteQueryOptions({
    queryKey: [...timelineKey(record), part ?? "all"],
    queryFn: ({ pageParam, signal }) =>
      api.get("/api/{kind}/{id}/timeline", { path: pathOf(record), query: { part, cursor: pageParam, limit: 30 }, signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextCursor }) => nextCursor,
    staleTime: 10_000,
  });

/** Changes the comments of a record. What the server answers is shown at once. */
export function useCommentCalls(record: TimelineOf) {
  const client = useQueryClient();
  const path = pathOf(record);
  const change = (with_: (items: TimelineEntry[], page: number) => TimelineEntry[]) =>
    client.setQueriesData<InfiniteData<Timeline, string | undefined>>(
      { queryKey: timelineKey(record), predicate: ({ queryKey }) => queryKey[2] === "all" || queryKey[2] === "comments" },
      (known) => known && { ...known, pages: known.pages.map((page, at) => ({ ...page, items: with_(page.items, at) })) },
    );
  const show = (comment: Comment) => change((items) => items.map((one) => (one.id === comment.id ? { ...one, comment } : one)));
  return {
    create: useMutation({
      mutationFn: ({ key, ...comment }: NewComment & { key: string }) =>
        api.post("/api/{kind}/{id}/comments", comment, { path, header: { "Idempotency-Key": key } }),
      meta: { handled: true },
      onSuccess: (comment) =>
        change((items, page) => {
          if (page > 0 || items.some(({ id }) => id === comment.id)) return items;
          const { id, createdAt: at, createdBy: by } = comment;
          return [{ id, at, event: "commented", changes: [], records: [], comment, ...(by && { by }) }, ...items];
        }),
    }),
    edit: useMutation({
      mutationFn: ({ id: commentId, ...patch }: Pick<Comment, "id" | "value" | "mentions"> & { references: NewComment["references"] }) =>
        api.patch("/api/{kind}/{id}/comments/{commentId}", patch, { path: { ...path, commentId } }),
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
  const refresh = ({ links }: Pick<Activity, "links">, hasTask = false) => {
    const keys = [...links.flatMap(({ kind }) => queryKeysOf(kind)), ...(hasTask ? queryKeysOf("task") : []), ["timeline"]];
    const families = new Map(keys.map((queryKey) => [JSON.stringify(queryKey), queryKey]));
    for (const queryKey of families.values()) void client.invalidateQueries({ queryKey });
  };
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
      mutationFn: ({ key, ...activity }: NewActivity & { key: string }) =>
        api.post("/api/activities", activity, { header: { "Idempotency-Key": key } }),
      meta: { handled: true },
      onSuccess: (activity) => {
        if (activity.type === "call") for (const { recordId } of activity.links) endOffer(recordId);
        refresh(activity, activity.nextTaskId !== undefined);
      },
    }),
    edit: useMutation({
      mutationFn: ({ activity: { id, version }, patch }: { activity: Activity; patch: ActivityPatch }) =>
        api.patch("/api/activities/{id}", patch, { path: { id }, header: ifMatch(version) }),
      meta: { handled: true },
      onSuccess: (activity) => {
        change(activity.id, () => activity);
        refresh(activity);
      },
    }),
    remove: useMutation({
      mutationFn: ({ id }: Activity) => api.delete("/api/activities/{id}", { path: { id } }),
      onMutate: ({ id }) => change(id, () => undefined),
      onSettled: (_done, _error, activity) => refresh(activity),
    }),
  };
}

/** The files on a record, the newest first. */
export const filesQuery = (record: TimelineOf) =>
  queryOptions({
    queryKey: ["files", record.id],
    queryFn: async ({ signal }) => (await api.get("/api/{kind}/{id}/files", { path: pathOf(record), signal })).items,
    staleTime: 10_000,
  });

/** Attaches and removes files; the list shows it at once. */
export function useFileCalls(record: TimelineOf) {
  const client = useQueryClient();
  const path = pathOf(record);
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
    queryFn: async ({ signal }) => (await api.get("/api/{kind}/{id}/links", { path: pathOf(record), signal })).items,
    staleTime: 10_000,
  });

/** Links a record that was just created to another one. */
export function useLinkCreated() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ record, other }: { record: TimelineOf; other: TimelineOf }) =>
      api.post("/api/{kind}/{id}/links", { kind: other.kind, recordId: other.id }, { path: pathOf(record) }),
    onSettled: () => {
      for (const key of [["links"], ["timeline"]]) void client.invalidateQueries({ queryKey: key });
    },
  });
}

/** Links a record to others, and removes links; the list shows it at once. */
export function useLinkCalls(record: TimelineOf) {
  const client = useQueryClient();
  const path = pathOf(record);
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
