import { type QueryClient, queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { api } from "@/api/client";
import type { NewShortcut, Shortcut } from "@/api/schema";
import { toast } from "@/lib/toast";

const path = "/api/common/shortcuts";
/** Changes of the list run one after the other. */
const changes = { mutationKey: ["shortcuts"], scope: { id: "shortcuts" } };

export const shortcutsQuery = queryOptions({ queryKey: ["shortcuts"], queryFn: () => api.get(path) });

const put = (ids: string[]) => api.post("/api/common/shortcuts/order", { ids });
/** After the last of several changes, the server's list is used. */
const settle = (client: QueryClient) =>
  client.isMutating(changes) === 1 ? client.invalidateQueries({ queryKey: shortcutsQuery.queryKey }) : undefined;

/** Changes the shortcut with an id; without one, creates it at the top. */
export function useSaveShortcut() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ id, shortcut }: { id: string | undefined; shortcut: NewShortcut }) =>
      id ? api.patch(path, { id, shortcut }) : api.post(path, { shortcut }),
    meta: { handled: true },
    onSuccess: (saved) =>
      client.setQueryData(shortcutsQuery.queryKey, (list = []) =>
        list.some((one) => one.id === saved.id) ? list.map((one) => (one.id === saved.id ? saved : one)) : [saved, ...list],
      ),
  });
}

/** Shown at once, reverted when the server refuses. */
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

/** Orders the shortcuts by these ids. */
export const useOrderShortcuts = () =>
  useOptimistic<string[]>(put, (list, ids) => [...list].sort((a, b) => ids.indexOf(a.id) - ids.indexOf(b.id)));

/** Creates a deleted shortcut again at its position. */
function useRemakeShortcut() {
  const client = useQueryClient();
  return useMutation({
    ...changes,
    mutationFn: async ({ shortcut: { id: _, ...shortcut }, at }: { shortcut: Shortcut; at: number }) => {
      const made = await api.post(path, { shortcut });
      const ids = (await api.get(path)).map(({ id }) => id).filter((id) => id !== made.id);
      await put(ids.toSpliced(at, 0, made.id));
    },
    onSettled: () => settle(client),
  });
}

/** Deletes at once, and offers to undo, which creates it again at its position. */
export function useDeleteShortcut() {
  const { t } = useTranslation();
  const client = useQueryClient();
  const remake = useRemakeShortcut();
  const remove = useOptimistic<string>(
    (id) => api.delete(path, { query: { id } }),
    (list, id) => list.filter((one) => one.id !== id),
  );
  return (shortcut: Shortcut) => {
    const at = client.getQueryData(shortcutsQuery.queryKey)?.findIndex(({ id }) => id === shortcut.id) ?? 0;
    remove.mutateAsync(shortcut.id).then(
      () =>
        toast.success(t("ui.shortcuts.deleted", { label: shortcut.label }), {
          label: t("ui.action.undo"),
          run: () => remake.mutateAsync({ shortcut, at: Math.max(0, at) }),
          undone: t("ui.bin.restored", { title: shortcut.label }),
        }),
      // The list shows it again, and the query cache reports the error.
      () => undefined,
    );
  };
}
