import {
  type InfiniteData,
  infiniteQueryOptions,
  keepPreviousData,
  type QueryKey,
  queryOptions,
  useMutation,
  useQuery,
  useQueryClient,
} from "@tanstack/react-query";
import { useEffect } from "react";
import { api } from "@/api/client";
import { fallbackRefreshMs } from "@/api/query";
import type { Notice, NoticeBatchAction } from "@/api/schema";

/** Messages and notifications are the same type under two names. */
export type NoticeKind = "messages" | "notifications";

const path = (kind: NoticeKind): `/api/common/${NoticeKind}` => `/api/common/${kind}`;

/** The newest 200, which a panel shows. */
export const noticesQuery = (kind: NoticeKind) => queryOptions({ queryKey: ["notices", kind], queryFn: () => api.get(path(kind)) });

export interface NoticeFilter {
  unread: boolean;
  q: string;
}
/** A page of a long list, and whether there are more. */
export interface NoticePart {
  items: Notice[];
  more: boolean;
}
const partSize = 50;
/** Maximum items that one call changes. */
const batchSize = 200;

export const partsKey = (kind: NoticeKind) => ["notices", kind, "parts"];

/** All items, page by page, for the messages and notifications screens. */
export const noticePartsQuery = (kind: NoticeKind, filter: NoticeFilter) =>
  infiniteQueryOptions({
    queryKey: [...partsKey(kind), filter],
    queryFn: async ({ pageParam, signal }): Promise<NoticePart> => {
      const query = { limit: partSize, before: pageParam, q: filter.q, ...(filter.unread && { unread: true }) };
      const items = await api.get(path(kind), { query, signal });
      return { items, more: items.length === partSize };
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (last) => (last.more ? last.items.at(-1)?.id : undefined),
    placeholderData: keepPreviousData,
  });

export const unreadQuery = (kind: NoticeKind) =>
  queryOptions({
    queryKey: ["notices", kind, "unread"],
    queryFn: async () => (await api.get(`${path(kind)}/unread`)).unread,
    refetchInterval: fallbackRefreshMs,
  });

/** Returns the server's number of unread items; reloads the list when the number changes without it. */
export function useUnread(kind: NoticeKind): number {
  const client = useQueryClient();
  const { data: unread } = useQuery(unreadQuery(kind));
  const { data: list } = useQuery(noticesQuery(kind));
  const listed = list?.filter((notice) => !notice.read).length ?? 0;
  useEffect(() => {
    if (unread === undefined || unread === listed || listed >= 200) return;
    if (client.isMutating({ mutationKey: ["notices", kind] }) > 0) return;
    void client.invalidateQueries({ queryKey: ["notices", kind], exact: true });
  }, [client, kind, unread, listed]);
  return unread ?? listed;
}

export type NoticeAction = NoticeBatchAction | "restore";
export interface NoticeChange {
  action: NoticeAction;
  notices: Notice[];
}

/** One item uses the specification's calls, several use a batch call. */
async function send(kind: NoticeKind, { action, notices }: NoticeChange): Promise<unknown> {
  const [first, ...others] = notices;
  if (!first) return;
  if (others.length === 0 && action === "remove") return api.delete(path(kind), { query: { id: first.id } });
  if (others.length === 0 && action !== "restore") {
    const changed = { ...first, read: action === "read" };
    if (kind === "messages") return api.post("/api/common/messages/toggle-read-status", { message: changed });
    return api.post("/api/common/notifications/toggle-read-status", { notification: changed });
  }
  const ids = notices.map(({ id }) => id);
  for (let at = 0; at < ids.length; at += batchSize) {
    const some = ids.slice(at, at + batchSize);
    if (action === "restore") await api.post(`${path(kind)}/restore`, { ids: some });
    else await api.post(`${path(kind)}/batch`, { ids: some, action });
  }
}

/** Returns the list after a change. Restored items are left to the server, which knows their position. */
function changed(list: Notice[], { action, notices }: NoticeChange): Notice[] {
  const ids = new Set(notices.map(({ id }) => id));
  if (action === "remove") return list.filter(({ id }) => !ids.has(id));
  if (action === "restore") return list;
  const read = action === "read";
  return list.map((notice) => (ids.has(notice.id) ? { ...notice, read, seen: notice.seen || read } : notice));
}

/** Returns by how much a change alters the number of unread items. */
function moved({ action, notices }: NoticeChange): number {
  const unread = notices.filter(({ read }) => !read).length;
  if (action === "unread") return notices.length - unread;
  return action === "restore" ? unread : -unread;
}

/** Changes the lists: shown at once, reverted when the server refuses. */
function useOptimistic<V>(
  kind: NoticeKind,
  call: (value: V) => Promise<unknown>,
  change: (list: Notice[], value: V) => Notice[],
  count: (unread: number, value: V) => number,
) {
  const client = useQueryClient();
  const all: QueryKey = ["notices", kind];
  return useMutation({
    mutationKey: all,
    mutationFn: call,
    onMutate: async (value) => {
      await client.cancelQueries({ queryKey: all });
      const before = client.getQueriesData({ queryKey: all });
      client.setQueryData(noticesQuery(kind).queryKey, (list) => list && change(list, value));
      for (const [key, data] of client.getQueriesData<InfiniteData<NoticePart>>({ queryKey: partsKey(kind) })) {
        const onlyUnread = (key.at(-1) as NoticeFilter).unread;
        const pages = data?.pages.map((part) => {
          const items = change(part.items, value);
          return { ...part, items: onlyUnread ? items.filter(({ read }) => !read) : items };
        });
        if (data && pages) client.setQueryData(key, { ...data, pages });
      }
      client.setQueryData(unreadQuery(kind).queryKey, (known) => (known === undefined ? undefined : Math.max(0, count(known, value))));
      return before;
    },
    onError: (_error, _value, before) => {
      for (const [key, data] of before ?? []) client.setQueryData(key, data);
    },
    onSettled: () => (client.isMutating({ mutationKey: all }) === 1 ? client.invalidateQueries({ queryKey: all }) : undefined),
  });
}

export const useChangeNotices = (kind: NoticeKind) =>
  useOptimistic<NoticeChange>(
    kind,
    (change) => send(kind, change),
    changed,
    (unread, change) => unread + moved(change),
  );

export const useMarkAllAsRead = (kind: NoticeKind) =>
  useOptimistic<void>(
    kind,
    () => api.get(`${path(kind)}/mark-all-as-read`),
    (list) => list.map((notice) => ({ ...notice, read: true, seen: true })),
    () => 0,
  );

/** Marks the items of an opened panel as seen; a failure is ignored. */
export function useMarkSeen(kind: NoticeKind) {
  useEffect(() => {
    void api.post(`${path(kind)}/seen`).catch(() => undefined);
  }, [kind]);
}
