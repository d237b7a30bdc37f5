import { keepPreviousData, queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { api, ifMatch } from "@/api/client";
import type { KnowledgePage, List, NewPage, PagePatch } from "@/api/schema";
import { useMay, useUser } from "@/features/account/data";
import { recordQuery } from "@/records/data";
import { noteCreated } from "@/records/undo-change";

/** Maximum requests of 200 pages for the tree. */
const maxRequests = 10;

/** All pages that the member can see, without their bodies. */
export const pagesQuery = queryOptions({
  queryKey: ["pages", "tree"],
  queryFn: async ({ signal }) => {
    const found: KnowledgePage[] = [];
    let cursor: string | undefined;
    for (let request = 0; request < maxRequests; request += 1) {
      const answer: List<KnowledgePage> = await api.get("/api/pages", { query: { limit: 200, cursor }, signal });
      found.push(...answer.items);
      cursor = answer.nextCursor;
      if (!cursor) break;
    }
    return found;
  },
});

/** Pages with these words in their text. */
export const pageSearchQuery = (q: string) =>
  queryOptions({
    queryKey: ["pages", "search", q],
    queryFn: async ({ signal }) => (await api.get("/api/pages", { query: { q, limit: 20 }, signal })).items,
    enabled: q.length >= 2,
    placeholderData: keepPreviousData,
  });

/** Returns whether the member may decide who sees a page, by its visibility and its status: its author and administrators. */
export function useMayHide({ createdBy }: Pick<KnowledgePage, "createdBy">): boolean {
  const user = useUser();
  const mayWrite = useMay("pages.write");
  const mayAll = useMay("pages.delete");
  return mayWrite && (mayAll || createdBy === user.id);
}

/** Saves part of a page, with the version that was read, so that no other change is overwritten. */
export function usePatchPage() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ id, version, patch }: { id: string; version: number | undefined; patch: PagePatch }) =>
      api.patch("/api/pages/{id}", patch, { path: { id }, header: ifMatch(version), keepalive: true }),
    meta: { handled: true },
    onSuccess: (page, { patch }) => {
      client.setQueryData(recordQuery("page", page.id).queryKey, page);
      client.setQueryData(pagesQuery.queryKey, (list) =>
        list?.map((one) => (one.id === page.id ? ({ ...one, ...page, parentId: page.parentId } as KnowledgePage) : one)),
      );
      // The pages below follow.
      if (patch.visibility || patch.parentId !== undefined) return client.invalidateQueries({ queryKey: pagesQuery.queryKey });
      return undefined;
    },
  });
}

export function useAddPage() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (page: NewPage) => api.post("/api/pages", { ...page, status: "draft" }),
    onSuccess: (page) => {
      noteCreated(client, "page", page);
      client.setQueryData(recordQuery("page", page.id).queryKey, page);
      return client.invalidateQueries({ queryKey: pagesQuery.queryKey });
    },
  });
}
