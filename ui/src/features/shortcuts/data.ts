import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { api } from "@/api/client";
import type { NewShortcut, Shortcut } from "@/api/schema";

const path = "/api/common/shortcuts";

export const shortcutsQuery = queryOptions({ queryKey: ["shortcuts"], queryFn: () => api.get<Shortcut[]>(path) });

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

export function useDeleteShortcut() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (id: string) => api.delete<Shortcut>(path, { query: { id } }),
    onMutate: async (id) => {
      await client.cancelQueries({ queryKey: shortcutsQuery.queryKey });
      const before = client.getQueryData(shortcutsQuery.queryKey);
      client.setQueryData(shortcutsQuery.queryKey, (list) => list?.filter((one) => one.id !== id));
      return before;
    },
    onError: (_error, _id, before) => client.setQueryData(shortcutsQuery.queryKey, before),
  });
}
