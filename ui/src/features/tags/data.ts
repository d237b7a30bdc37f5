import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { create } from "zustand";
import { api } from "@/api/client";
import type { Tag, TagChange } from "@/api/schema";
import type { ColourName } from "@/lib/colours";
import { newId } from "@/lib/new-id";
import { tagsQuery } from "@/records/tags";

/** Gives a tag a colour, or none; the screen shows it at once. */
export function useColourTag() {
  const client = useQueryClient();
  const { queryKey } = tagsQuery;
  return useMutation({
    mutationFn: ({ tag, color }: { tag: string; color: ColourName | undefined }) => api.patch("/api/tags", { tag, color: color ?? null }),
    onMutate: async ({ tag, color }) => {
      await client.cancelQueries({ queryKey });
      const coloured = ({ color: _before, ...one }: Tag): Tag => ({ ...one, ...(color && { color }) });
      client.setQueryData(queryKey, (tags) => tags?.map((one) => (one.tag === tag ? coloured(one) : one)));
    },
    onSettled: () => client.invalidateQueries({ queryKey }),
  });
}

/** The calls of changes of a tag in all records. */
export const tagCalls = {
  rename: (from: string, to: string) => api.post("/api/tags/rename", { from, to }, { header: { "Idempotency-Key": newId() } }),
  remove: (tag: string) => api.post("/api/tags/remove", { tag }, { header: { "Idempotency-Key": newId() } }),
  get: (id: string) => api.get("/api/tags/changes/{id}", { path: { id } }),
  undo: (id: string) => api.post("/api/tags/changes/{id}/undo", {}, { path: { id } }),
};

export const isInProgress = ({ state }: TagChange) => state === "running" || state === "undoing";

/** Milliseconds between two looks at a change in progress. */
export const lookMs = 700;

/** A change of a tag, with how far it is. */
export const tagChangeQuery = (id: string | undefined) =>
  queryOptions({
    queryKey: ["tag-change", "one", id],
    queryFn: () => tagCalls.get(id ?? ""),
    enabled: id !== undefined,
    retry: false,
    refetchInterval: ({ state }) => (state.data && isInProgress(state.data) ? lookMs : false),
  });

const storageKey = "atrium.tag-change";

function stored(): string | undefined {
  try {
    return localStorage.getItem(storageKey) ?? undefined;
  } catch {
    return undefined;
  }
}

/** The last change of a tag that this browser knows of. */
export const useLastTagChange = create<{ id: string | undefined }>(() => ({ id: stored() }));

export function rememberTagChange(id: string) {
  useLastTagChange.setState({ id });
  try {
    localStorage.setItem(storageKey, id);
  } catch {
    // Without storage, a reload forgets it.
  }
}
