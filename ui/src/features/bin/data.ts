import { keepPreviousData, queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { api } from "@/api/client";
import type { BinnedRecord } from "@/api/schema";

/** Rows per page of the bin. */
export const binPageSize = 50;

/** What the bin is narrowed to: words of the title, a kind, and the member who deleted. */
export interface BinFilter {
  q?: string | undefined;
  kind?: BinnedRecord["kind"] | undefined;
  removedBy?: string | undefined;
}

export const binQuery = (filter: BinFilter, cursor: string | undefined) =>
  queryOptions({
    queryKey: ["bin", filter, cursor],
    queryFn: ({ signal }) => api.get("/api/bin", { query: { ...filter, cursor, limit: binPageSize }, signal }),
    placeholderData: keepPreviousData,
    staleTime: 0,
  });

export function usePurge() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ id }: BinnedRecord) => api.delete("/api/bin/{id}", { path: { id } }),
    onSuccess: () => client.invalidateQueries({ queryKey: ["bin"] }),
  });
}

export function useEmptyBin() {
  const client = useQueryClient();
  return useMutation({ mutationFn: () => api.delete("/api/bin"), onSuccess: () => client.invalidateQueries({ queryKey: ["bin"] }) });
}
