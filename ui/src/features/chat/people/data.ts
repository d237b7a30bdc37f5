import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { api } from "@/api/client";
import type { Chat, ChatGroupPatch, NewChatGroup } from "@/api/schema";
import { left, listed } from "../cache";

export function useGroupCalls() {
  const client = useQueryClient();
  const show = (chat: Chat) => listed(client, chat);
  return {
    create: useMutation({
      mutationFn: (group: NewChatGroup) => api.post("/api/apps/chat/groups", group),
      meta: { handled: true },
      onSuccess: show,
    }),
    change: useMutation({
      mutationFn: ({ id, ...change }: ChatGroupPatch & { id: string }) => api.patch("/api/apps/chat/groups/{id}", change, { path: { id } }),
      meta: { handled: true },
      onSuccess: show,
    }),
    leave: useMutation({
      mutationFn: (id: string) => api.delete("/api/apps/chat/groups/{id}/membership", { path: { id } }),
      onSuccess: (_answer, id) => left(client, id),
    }),
  };
}

export const contactQuery = (id: string) =>
  queryOptions({
    queryKey: ["chat-contacts", id],
    queryFn: ({ signal }) => api.get("/api/apps/chat/contact", { query: { id }, signal }),
    staleTime: 60_000,
  });
