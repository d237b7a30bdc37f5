import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { api } from "@/api/client";
import type { ResultSet } from "@/api/schema";

/** Shorter text finds nothing. */
export const minimumLength = 2;
/** Milliseconds without a key before the server is asked. */
export const debounce = 300;

export const searchQuery = (text: string) =>
  queryOptions({
    queryKey: ["search", text],
    queryFn: ({ signal }) => api.post<ResultSet[]>("/api/common/search", { query: text }, { signal }),
    enabled: text.length >= minimumLength,
    placeholderData: keepPreviousData,
    staleTime: 0,
    gcTime: 60_000,
  });
