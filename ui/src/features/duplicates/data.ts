import { infiniteQueryOptions, keepPreviousData, queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { api, ifMatch } from "@/api/client";
import type { DuplicatePair, DuplicateQuery, DuplicateScan, List, Merge, NewMerge } from "@/api/schema";
import { type MergedKind, recordKinds } from "@/records/kinds";

/** Pairs per page. */
export const pairsPageSize = 25;
/** Merges that are read together. */
const mergesPageSize = 20;
/** Milliseconds between two looks at a search for duplicates in progress, in case no frames arrive. */
const lookMs = 2_000;
/** From this score on, a record says that it looks like a duplicate; below, that it may be one. */
export const likelyScore = 60;
/** From this score on, two records are very likely the same. */
export const veryLikelyScore = 75;

/** Records like the one that is being typed. */
export const similarQuery = (query: DuplicateQuery) =>
  queryOptions({
    queryKey: ["duplicates", "find", query],
    queryFn: async ({ signal }) => (await api.post("/api/duplicates/find", query, { signal, quiet: true })).items,
    placeholderData: keepPreviousData,
    retry: false,
  });

/** Records that may be duplicates of one, the likeliest first. */
export const duplicatesOfQuery = (kind: MergedKind, id: string) =>
  queryOptions({
    queryKey: ["duplicates", "of", kind, id],
    queryFn: async ({ signal }) =>
      (await api.get("/api/{kind}/{id}/duplicates", { path: { kind: recordKinds[kind].name, id }, signal, quiet: true })).items,
    retry: false,
  });

const scanKey = (kind: MergedKind) => ["duplicates", "scan", kind];
const pairsKey = (kind: MergedKind) => ["duplicates", "pairs", kind];

/** The search for duplicates in all records of a kind. */
export const scanQuery = (kind: MergedKind) =>
  queryOptions({
    queryKey: scanKey(kind),
    queryFn: ({ signal }): Promise<DuplicateScan> =>
      api.get("/api/duplicates/scan", { query: { kind: recordKinds[kind].name }, signal, quiet: true }),
    staleTime: 0,
    refetchInterval: ({ state }) => (state.data?.state === "running" ? lookMs : false),
  });

/** A page of the pairs that a search found. */
export const pairsQuery = (kind: MergedKind, cursor: string | undefined) =>
  queryOptions({
    queryKey: [...pairsKey(kind), cursor],
    queryFn: ({ signal }): Promise<List<DuplicatePair>> =>
      api.get("/api/duplicates", { query: { kind: recordKinds[kind].name, cursor, limit: pairsPageSize }, signal }),
    // Pairs of the other kind are none of this one.
    placeholderData: (known, before) => (before?.queryKey[2] === kind ? known : undefined),
    staleTime: 0,
  });

/** Merges of the last 30 days, the newest first. */
export const mergesQuery = (kind: MergedKind) =>
  infiniteQueryOptions({
    queryKey: ["merges", "list", kind],
    queryFn: ({ pageParam, signal }): Promise<List<Merge>> =>
      api.get("/api/merges", { query: { kind: recordKinds[kind].name, cursor: pageParam, limit: mergesPageSize }, signal, quiet: true }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextCursor }) => nextCursor,
    staleTime: 0,
    refetchInterval: ({ state }) => (state.data?.pages.some(({ items }) => items.some(isInProgress)) ? lookMs : false),
  });

export const isInProgress = ({ state }: Merge) => state === "running" || state === "undoing";

/** The calls that follow and undo a merge. */
export const mergeCalls = {
  get: (id: string): Promise<Merge> => api.get("/api/merges/{id}", { path: { id }, quiet: true }),
  undo: (id: string): Promise<Merge> => api.post("/api/merges/{id}/undo", {}, { path: { id } }),
};

/** Starts a search for duplicates in all records of a kind. */
export function useScan(kind: MergedKind) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (): Promise<DuplicateScan> => api.post("/api/duplicates/scan", { kind: recordKinds[kind].name }),
    onSuccess: (scan) => client.setQueryData(scanKey(kind), scan),
    onSettled: () => client.invalidateQueries({ queryKey: scanKey(kind) }),
  });
}

interface Dismissal {
  ids: [string, string];
  dismissed: boolean;
}

/** Says that two records are not duplicates, or takes that back; pairs on the screen go at once. */
export function useDismiss(kind: MergedKind) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (dismissal: Dismissal): Promise<void> =>
      api.post("/api/duplicates/dismiss", { kind: recordKinds[kind].name, ...dismissal }),
    onMutate: ({ ids, dismissed }) => {
      if (!dismissed) return;
      const isOther = ({ records }: DuplicatePair) => !records.every(({ id }) => ids.includes(id));
      client.setQueriesData<List<DuplicatePair>>({ queryKey: pairsKey(kind) }, (page) => {
        const items = page?.items.filter(isOther) ?? [];
        return page && { ...page, items, total: page.total - (page.items.length - items.length) };
      });
      for (const [of, other] of [ids, ids.toReversed()] as [string, string][]) {
        client.setQueryData(duplicatesOfQuery(kind, of).queryKey, (known) => known?.filter(({ id }) => id !== other));
      }
    },
    onSettled: () => client.invalidateQueries({ queryKey: ["duplicates"] }),
  });
}

export interface MergeVariables extends NewMerge {
  keptId: string;
  /** The version of the record that is kept. */
  version: number;
}

/** Merges a record into another one. The dialog shows a failure. */
export const useMerge = (kind: MergedKind) =>
  useMutation({
    mutationFn: ({ keptId, version, ...input }: MergeVariables): Promise<Merge> =>
      api.post("/api/{kind}/{id}/merge", input, { path: { kind: recordKinds[kind].name, id: keptId }, header: ifMatch(version) }),
    meta: { handled: true },
  });
