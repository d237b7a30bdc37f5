import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { api } from "@/api/client";
import type { Page, SentMessage } from "@/api/schema";

/** Who reads what one sent is seen when one looks again. */
const fresh = { staleTime: 0, refetchInterval: 60_000 } as const;

/** What one sent, the newest first, part by part. */
export const sentMessagesQuery = infiniteQueryOptions({
  queryKey: ["sent-messages"],
  queryFn: ({ pageParam, signal }) => api.get<Page<SentMessage>>("/api/messages/sent", { query: { limit: 50, cursor: pageParam }, signal }),
  initialPageParam: undefined as string | undefined,
  getNextPageParam: (last) => last.nextCursor,
  ...fresh,
});

/** One of them, with everybody whom it went to. */
export const sentMessageQuery = (id: string) =>
  queryOptions({
    queryKey: ["sent-messages", id],
    queryFn: ({ signal }) => api.get<SentMessage>(`/api/messages/sent/${encodeURIComponent(id)}`, { signal }),
    ...fresh,
  });
