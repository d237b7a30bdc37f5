import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { api } from "@/api/client";

/** Reads by receivers are not pushed, so the list is refreshed. */
const fresh = { staleTime: 0, refetchInterval: 60_000 } as const;

/** The member's sent messages, newest first, page by page. */
export const sentMessagesQuery = infiniteQueryOptions({
  queryKey: ["sent-messages"],
  queryFn: ({ pageParam, signal }) => api.get("/api/messages/sent", { query: { limit: 50, cursor: pageParam }, signal }),
  initialPageParam: undefined as string | undefined,
  getNextPageParam: (last) => last.nextCursor,
  ...fresh,
});

/** One sent message, with all its receivers. */
export const sentMessageQuery = (id: string) =>
  queryOptions({
    queryKey: ["sent-messages", id],
    queryFn: ({ signal }) => api.get("/api/messages/sent/{id}", { path: { id }, signal }),
    ...fresh,
  });
