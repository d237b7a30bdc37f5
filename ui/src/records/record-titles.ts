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

/** A record to choose. */
export interface RecordMatch {
  id: string;
  title: string;
  subtitle?: string | undefined;
  avatar?: string | undefined;
}

/** Records of a kind that match typed words; without words, the first ones. */
export const matchesQuery = (kind: CreatedKind, words: string) =>
  queryOptions({
    queryKey: [recordKinds[kind].name, "matches", words],
    queryFn: async ({ signal }): Promise<RecordMatch[]> => {
      const path = kind === "event" ? "/api/events/records" : (`/api/${recordKinds[kind].name}` as const);
      const { items } = await api.get(path, { query: { ...(words && { q: words }), limit: 20 }, signal });
      return items.flatMap((record) => {
        if ("name" in record) return [{ id: record.id, title: record.name, subtitle: record.details.company, avatar: record.avatar }];
        return "type" in record && record.type === "section" ? [] : [{ id: record.id, title: record.title }];
      });
    },
    placeholderData: keepPreviousData,
    staleTime: 10_000,
  });
