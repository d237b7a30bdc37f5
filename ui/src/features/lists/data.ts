import { infiniteQueryOptions, queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { api, ifMatch } from "@/api/client";
import type { NewBulkChange, NewView, SavedView, ViewPatch } from "@/api/schema";
import { newId } from "@/lib/new-id";

/** The views of a kind's list that the member sees, by name, and the one that their list opens with. */
export const viewsQuery = (kind: SavedView["kind"]) =>
  queryOptions({
    queryKey: ["views", kind],
    queryFn: ({ signal }) => api.get("/api/views", { query: { kind }, signal }),
    staleTime: 60_000,
  });

/** Rows per page of the recent bulk changes. */
export const bulkPageSize = 20;

/** The bulk changes of a kind's records that can be undone, or were; the newest first. */
export const bulkChangesQuery = (kind: SavedView["kind"]) =>
  infiniteQueryOptions({
    queryKey: ["bulk", kind],
    queryFn: ({ pageParam, signal }) => api.get("/api/bulk", { query: { kind, limit: bulkPageSize, cursor: pageParam }, signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.nextCursor,
    staleTime: 0,
  });

/** The calls of bulk changes. */
export const bulkCalls = {
  create: (change: NewBulkChange) => api.post("/api/bulk", change, { header: { "Idempotency-Key": newId() } }),
  get: (id: string) => api.get("/api/bulk/{id}", { path: { id } }),
  stop: (id: string) => api.post("/api/bulk/{id}/stop", {}, { path: { id } }),
  undo: (id: string) => api.post("/api/bulk/{id}/undo", {}, { path: { id } }),
};

/** Creates, changes and deletes views of a kind's list. */
export function useViewCalls(kind: SavedView["kind"]) {
  const client = useQueryClient();
  const { queryKey } = viewsQuery(kind);
  const refresh = () => client.invalidateQueries({ queryKey });
  /** Shows a saved view at once, so that the list never shows the state before. */
  const show = (view: SavedView) => {
    client.setQueryData(queryKey, (known) => known && { ...known, items: [...known.items.filter(({ id }) => id !== view.id), view] });
    void refresh();
  };
  return {
    create: useMutation({
      mutationFn: ({ key, ...view }: Omit<NewView, "kind"> & { key: string }) =>
        api.post("/api/views", { ...view, kind }, { header: { "Idempotency-Key": key } }),
      meta: { handled: true },
      onSuccess: show,
    }),
    change: useMutation({
      mutationFn: ({ view, patch }: { view: SavedView; patch: ViewPatch }) =>
        api.patch("/api/views/{id}", patch, { path: { id: view.id }, header: ifMatch(view.version) }),
      meta: { handled: true },
      onSuccess: show,
      onError: refresh,
    }),
    remove: useMutation({
      mutationFn: (id: string) => api.delete("/api/views/{id}", { path: { id } }),
      onSettled: refresh,
    }),
    setDefault: useMutation({
      mutationFn: (viewId: string | null) => api.put("/api/views/default", { kind, viewId }),
      onMutate: (viewId) => client.setQueryData(queryKey, (known) => known && { items: known.items, ...(viewId && { defaultId: viewId }) }),
      onSettled: refresh,
    }),
  };
}
