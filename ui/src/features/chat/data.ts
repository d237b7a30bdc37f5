import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { api } from "@/api/client";
import { fallbackRefreshMs } from "@/api/query";
import { listed } from "./cache";

export const chatsQuery = queryOptions({ queryKey: ["chats"], queryFn: () => api.get("/api/apps/chat/chats") });

export const contactsQuery = queryOptions({
  queryKey: ["chat-contacts"],
  queryFn: () => api.get("/api/apps/chat/contacts"),
  staleTime: 60_000,
});

/** The number of unread messages in all conversations that are not muted. */
export const unreadChatsQuery = queryOptions({
  queryKey: ["chats", "unread"],
  queryFn: async () => (await api.get("/api/apps/chat/unread")).unread,
  refetchInterval: fallbackRefreshMs,
});

/** Opens the conversation with a colleague, or creates it. */
export function useOpenChat() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (contactId: string) => api.post("/api/apps/chat/chat", { contactId }),
    onSuccess: (chat) => listed(client, chat),
  });
}
