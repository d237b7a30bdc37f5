import { queryOptions, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { api } from "@/api/client";
import type { Notice } from "@/api/schema";

/** Messages and notifications are the same thing under two names. */
export type NoticeKind = "messages" | "notifications";

const field = { messages: "message", notifications: "notification" } as const;
const path = (kind: NoticeKind) => `/api/common/${kind}`;

export const noticesQuery = (kind: NoticeKind) =>
  queryOptions({ queryKey: ["notices", kind], queryFn: () => api.get<Notice[]>(path(kind)) });

const unreadQuery = (kind: NoticeKind) =>
  queryOptions({
    queryKey: ["notices", kind, "unread"],
    queryFn: async () => (await api.get<{ unread: number }>(`${path(kind)}/unread`)).unread,
    // News come by themselves; this is for when they do not.
    refetchInterval: 60_000,
  });

/** How many are unread, by the server's count; when it changes behind our back the list is fetched anew. */
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

/** One change to the list: shown at once, taken back when the server refuses. */
function useChange<V>(kind: NoticeKind, call: (value: V) => Promise<unknown>, change: (list: Notice[], value: V) => Notice[]) {
  const client = useQueryClient();
  const list = noticesQuery(kind).queryKey;
  const count = unreadQuery(kind).queryKey;
  return useMutation({
    mutationKey: ["notices", kind],
    mutationFn: call,
    onMutate: async (value) => {
      await client.cancelQueries({ queryKey: ["notices", kind] });
      const before = client.getQueryData(list);
      const after = before && change(before, value);
      client.setQueryData(list, after);
      const unread = (notices: Notice[] | undefined) => notices?.filter((notice) => !notice.read).length ?? 0;
      client.setQueryData(count, (known) => (known === undefined ? undefined : Math.max(0, known + unread(after) - unread(before))));
      return before;
    },
    onError: (_error, _value, before) => client.setQueryData(list, before),
    onSettled: () =>
      client.isMutating({ mutationKey: ["notices", kind] }) === 1 ? client.invalidateQueries({ queryKey: ["notices", kind] }) : undefined,
  });
}

export const useMarkAllAsRead = (kind: NoticeKind) =>
  useChange<void>(
    kind,
    () => api.get<boolean>(`${path(kind)}/mark-all-as-read`),
    (list) => list.map((notice) => ({ ...notice, read: true, seen: true })),
  );

export const useToggleRead = (kind: NoticeKind) =>
  useChange<Notice>(
    kind,
    (notice) => api.post<Notice>(`${path(kind)}/toggle-read-status`, { [field[kind]]: notice }),
    (list, changed) => list.map((notice) => (notice.id === changed.id ? changed : notice)),
  );

export const useRemoveNotice = (kind: NoticeKind) =>
  useChange<string>(
    kind,
    (id) => api.delete<Notice>(path(kind), { query: { id } }),
    (list, id) => list.filter((notice) => notice.id !== id),
  );

/** Opening a panel marks what is in it as seen; failing to is no one's concern. */
export function useMarkSeen(kind: NoticeKind) {
  useEffect(() => {
    void api.post(`${path(kind)}/seen`).catch(() => undefined);
  }, [kind]);
}
