import { hashKey, keepPreviousData, type Query, queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { api, ifMatch } from "@/api/client";
import { ApiError } from "@/api/errors";
import type { InputOf, List, ListRequest, RecordOf } from "@/api/schema";
import { type CreatedKind, queryKeysOf, recordKinds } from "./kinds";

/** Rows per page of a list. */
export const pageSize = 50;

/** Reads one record of a kind. */
export const readRecord = async <K extends CreatedKind>(kind: K, id: string, signal?: AbortSignal) =>
  (await api.get(`/api/${recordKinds[kind].name}/{id}`, { path: { id }, ...(signal && { signal }) })) as RecordOf<K>;

/** Reads a page of the list of a kind, of at most `limit` records. */
export async function listRecords<K extends CreatedKind>(kind: K, request: ListRequest, limit: number, signal: AbortSignal) {
  const path = recordKinds[kind].listPath ?? (`/api/${recordKinds[kind].name}` as const);
  return (await api.get(path, { query: { ...request, limit }, signal })) as List<RecordOf<K>>;
}

/** Whether a record does not exist, or no longer for the member. */
export const isGone = (error: unknown) => error instanceof ApiError && (error.code === "not_found" || error.code === "record_in_bin");

/** One record of a kind. */
export const recordQuery = <K extends CreatedKind>(kind: K, id: string) =>
  queryOptions({
    queryKey: [recordKinds[kind].name, "one", id],
    queryFn: ({ signal }) => readRecord(kind, id, signal),
  });

export type RecordQuery<K extends CreatedKind> = ReturnType<typeof recordQuery<K>>;

/** A page of the list of a kind, filtered and sorted by its columns. */
export const recordsQuery = <K extends CreatedKind>(kind: K, request: ListRequest) =>
  queryOptions({
    queryKey: [recordKinds[kind].name, "list", request],
    queryFn: ({ signal }) => listRecords(kind, request, pageSize, signal),
    placeholderData: keepPreviousData,
  });

/** The sums of columns of the list of a kind, whose records are those of a list request. */
export const sumsQuery = (kind: CreatedKind, column: string[], { q, filter }: Pick<ListRequest, "q" | "filter">) =>
  queryOptions({
    queryKey: [recordKinds[kind].name, "sums", column, q, filter],
    queryFn: ({ signal }) => api.get("/api/sums", { query: { kind: recordKinds[kind].name, column, q, filter }, signal }),
  });

/** Returns a record from a list that was read before, to show it until its own call has answered. */
export function useKnownRecord<K extends CreatedKind>(kind: K, id: string): RecordOf<K> | undefined {
  const client = useQueryClient();
  const lists = client.getQueriesData<Partial<List<RecordOf<K>>>>({ queryKey: [recordKinds[kind].name, "list"] });
  return lists.flatMap(([, list]) => list?.items ?? []).find((record) => record.id === id);
}

/** The lists of a kind: page by page, and rows that grow. */
export const listsOf = (kind: CreatedKind) => ({
  queryKey: [recordKinds[kind].name],
  predicate: ({ queryKey: [, what] }: Query) => what === "list" || what === "rows",
});

/** A body, and the record that a save must not be newer than; undefined creates one. */
export interface SaveVariables<K extends CreatedKind> {
  input: InputOf<K>;
  known: RecordOf<K> | undefined;
}

/** The call that changes a record over the version that was read. */
export type ChangeRecord<K extends CreatedKind> = (input: InputOf<K>, known: RecordOf<K>) => Promise<RecordOf<K>>;

/**
 * Creates a record, or changes a known one over the version that was read. `change` is the call that changes one, for a
 * kind whose call has further parameters. The screen shows a failure.
 */
export function useSaveRecord<K extends CreatedKind>(kind: K, change?: ChangeRecord<K>) {
  const client = useQueryClient();
  const { name } = recordKinds[kind];
  return useMutation({
    mutationFn: async ({ input, known }: SaveVariables<K>) => {
      if (!known) return (await api.post(`/api/${name}`, input)) as RecordOf<K>;
      if (change) return change(input, known);
      const options = { path: { id: known.id }, header: ifMatch(known.version), keepalive: true };
      return (await api.patch(`/api/${name}/{id}`, input, options)) as RecordOf<K>;
    },
    meta: { handled: true },
    onSuccess: (record) => {
      const { queryKey: own } = recordQuery(kind, record.id);
      client.setQueryData<RecordOf<K>>(own, record);
      // The answer is the record itself, so only the queries that show it elsewhere are read again.
      const predicate = ({ queryHash }: { queryHash: string }) => queryHash !== hashKey(own);
      for (const queryKey of queryKeysOf(kind)) void client.invalidateQueries({ queryKey, predicate });
    },
  });
}
