import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { api } from "@/api/client";
import { type CreatedKind, recordKinds } from "./kinds";

/** The title of a record of any kind. */
export const titleQuery = (kind: CreatedKind, id: string) =>
  queryOptions({
    queryKey: [recordKinds[kind].name, "title", id],
    queryFn: async ({ signal }) => {
      const record = await api.get(`/api/${recordKinds[kind].name}/{id}`, { path: { id }, signal });
      return "name" in record ? record.name : record.title;
    },
    staleTime: 60_000,
  });

/** Records of a kind that match typed words. */
export const matchesQuery = (kind: CreatedKind, words: string) =>
  queryOptions({
    queryKey: [recordKinds[kind].name, "matches", words],
    queryFn: async ({ signal }) => {
      const groups = await api.post("/api/common/search", { query: words, limit: 20 }, { signal });
      const found = groups.flatMap((group) => group.results).filter((hit) => hit.kind === kind);
      return found.flatMap(({ id, value, subtitle }) => (id ? [{ id, title: value, subtitle }] : []));
    },
    enabled: words !== "",
    placeholderData: keepPreviousData,
    staleTime: 10_000,
  });
