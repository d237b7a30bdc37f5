import { type QueryClient, queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { api } from "@/api/client";
import type { NewShortcut, Shortcut } from "@/api/schema";
import { toast } from "@/lib/toast";

const path = "/api/common/shortcuts";
/** Changes to the list, one after the other. */
const changes = { mutationKey: ["shortcuts"], scope: { id: "shortcuts" } };

export const shortcutsQuery = queryOptions({ queryKey: ["shortcuts"], queryFn: () => api.get<Shortcut[]>(path) });

const put = (ids: string[]) => api.post<Shortcut[]>(`${path}/order`, { ids });
/** After the last of several changes, what the server says counts. */
const settle = (client: QueryClient) =>
  client.isMutating(changes) === 1 ? client.invalidateQueries({ queryKey: shortcutsQuery.queryKey }) : undefined;

/** With an id it is changed, without one it is made and goes on top. */
export function useSaveShortcut() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ id, shortcut }: { id: string | undefined; shortcut: NewShortcut }) =>
      id ? api.patch<Shortcut>(path, { id, shortcut }) : api.post<Shortcut>(path, { shortcut }),
    meta: { handled: true },
    onSuccess: (saved) =>
      client.setQueryData(shortcutsQuery.queryKey, (list = []) =>
        list.some((one) => one.id === saved.id) ? list.map((one) => (one.id === saved.id ? saved : one)) : [saved, ...list],
      ),
  });
}

/** Shown at once, taken back when the server refuses. */
function useOptimistic<V>(call: (value: V) => Promise<unknown>, change: (list: Shortcut[], value: V) => Shortcut[]) {
  const client = useQueryClient();
  return useMutation({
    ...changes,
    mutationFn: call,
    onMutate: async (value: V) => {
      await client.cancelQueries({ queryKey: shortcutsQuery.queryKey });
      const before = client.getQueryData(shortcutsQuery.queryKey);
      client.setQueryData(shortcutsQuery.queryKey, (list) => list && change(list, value));
      return before;
    },
    onError: (_error, _value, before) => client.setQueryData(shortcutsQuery.queryKey, before),
    onSettled: () => settle(client),
  });
}

/** Puts them into the order of these ids. */
export const useOrderShortcuts = () =>
  useOptimistic<string[]>(put, (list, ids) => [...list].sort((a, b) => ids.indexOf(a.id) - ids.indexOf(b.id)));

/** Makes one anew where it stood. */
function useRemakeShortcut() {
  const client = useQueryClient();
  return useMutation({
    ...changes,
    mutationFn: async ({ shortcut: { id: _, ...shortcut }, at }: { shortcut: Shortcut; at: number }) => {
      const made = await api.post<Shortcut>(path, { shortcut });
      const ids = (await api.get<Shortcut[]>(path)).map(({ id }) => id).filter((id) => id !== made.id);
      await put(ids.toSpliced(at, 0, made.id));
    },
    onSettled: () => settle(client),
  });
}

/** Deletes at once, and offers to take it back: then it is made anew in its place. */
export function useDeleteShortcut() {
  const { t } = useTranslation();
  const client = useQueryClient();
  const remake = useRemakeShortcut();
  const remove = useOptimistic<string>(
    (id) => api.delete<Shortcut>(path, { query: { id } }),
    (list, id) => list.filter((one) => one.id !== id),
  );
  return (shortcut: Shortcut) => {
    const at = client.getQueryData(shortcutsQuery.queryKey)?.findIndex(({ id }) => id === shortcut.id) ?? 0;
    remove.mutateAsync(shortcut.id).then(
      () =>
        toast.success(t("ui.shortcuts.deleted", { label: shortcut.label }), {
          label: t("ui.action.undo"),
          run: () => remake.mutate({ shortcut, at: Math.max(0, at) }),
        }),
      // It shows again, and the cache says why.
      () => undefined,
    );
  };
}
