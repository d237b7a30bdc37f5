import { keepPreviousData, queryOptions, useQuery } from "@tanstack/react-query";
import { api } from "@/api/client";
import type { ResultSet } from "@/api/schema";
import { isSearchable } from "@/lib/search-params";
import { useDebounced } from "@/lib/use-debounced";

/** Milliseconds without a key press before the server is asked. */
const typingPauseMs = 300;

const searchQuery = (text: string) =>
  queryOptions({
    queryKey: ["search", text],
    queryFn: ({ signal }) => api.post("/api/common/search", { query: text }, { signal }),
    enabled: isSearchable(text),
    placeholderData: keepPreviousData,
    staleTime: 0,
    gcTime: 60_000,
  });

export interface Results {
  /** The text of the request; empty if that finds nothing. */
  query: string;
  /** Whether typing paused at a text that is not searched. */
  isTooShort: boolean;
  /** The kinds with a result; undefined until the first response. */
  sets: ResultSet[] | undefined;
  error: Error | null;
  /** Whether results may be missing, because the server is rebuilding its search index. */
  partial: boolean;
  /** Whether the response belongs to the current text. */
  current: boolean;
}

/** Searches the server when typing pauses. */
export function useResults(text: string): Results {
  const typed = text.trim();
  const rested = useDebounced(typed, typingPauseMs);
  const query = isSearchable(typed) && isSearchable(rested) ? rested : "";
  const { data, error, isPlaceholderData } = useQuery(searchQuery(query));
  const partial = query !== "" && (data?.some((set) => set.partial) ?? false);
  const sets = query === "" ? undefined : data?.filter(({ results }) => results.length > 0);
  const answered = error !== null || (data !== undefined && !isPlaceholderData);
  return {
    query,
    isTooShort: typed !== "" && typed === rested && !isSearchable(typed),
    sets,
    error: query === "" ? null : error,
    partial,
    current: !isSearchable(typed) || (query === typed && answered),
  };
}
