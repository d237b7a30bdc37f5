import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { api } from "@/api/client";
import type { Chat, ChatContactCard } from "@/api/schema";
import { left, listed } from "../cache";

const base = "/api/apps/chat";

export interface GroupChange {
  name?: string;
  add?: string[];
  remove?: string[];
}

export function useGroupCalls() {
  const client = useQueryClient();
  const show = (chat: Chat) => listed(client, chat);
  return {
    create: useMutation({
      mutationFn: (group: { name: string; memberIds: string[] }) => api.post<Chat>(`${base}/groups`, group),
      meta: { handled: true },
      onSuccess: show,
    }),
    change: useMutation({
      mutationFn: ({ id, ...change }: GroupChange & { id: string }) => api.patch<Chat>(`${base}/groups/${id}`, change),
      meta: { handled: true },
      onSuccess: show,
    }),
    leave: useMutation({
      mutationFn: (id: string) => api.delete<void>(`${base}/groups/${id}/membership`),
      onSuccess: (_answer, id) => left(client, id),
    }),
  };
}

export const contactQuery = (id: string) =>
  queryOptions({
    queryKey: ["chat-contacts", id],
    queryFn: ({ signal }) => api.get<ChatContactCard>(`${base}/contact`, { query: { id }, signal }),
    staleTime: 60_000,
  });
