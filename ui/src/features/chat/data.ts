import { type QueryClient, queryOptions, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useCallback, useState } from "react";
import { api } from "@/api/client";
import type { Chat, ChatContact, ChatHistory, ChatMessage } from "@/api/schema";

const base = "/api/apps/chat";

/** News come by themselves; this is for when they do not. */
const fallback = 60_000;

export const chatsQuery = queryOptions({ queryKey: ["chats"], queryFn: () => api.get<Chat[]>(`${base}/chats`) });

export const contactsQuery = queryOptions({
  queryKey: ["chat-contacts"],
  queryFn: () => api.get<ChatContact[]>(`${base}/contacts`),
  staleTime: 60_000,
});

/** One conversation with its newest messages. */
export const chatQuery = (id: string) =>
  queryOptions({
    queryKey: ["chat", id],
    queryFn: async ({ client }) => {
      const fresh = await api.get<Chat>(`${base}/chat`, { query: { id } });
      const known = client.getQueryData<Chat>(["chat", id]);
      // What was paged back to, and what has just been sent, stays.
      return { ...fresh, messages: merge(known?.messages ?? [], fresh.messages ?? []) };
    },
    refetchInterval: fallback,
    staleTime: 0,
  });

/** How many messages wait in all conversations. */
export const unreadChatsQuery = queryOptions({
  queryKey: ["chats", "unread"],
  queryFn: async () => (await api.get<{ unread: number }>(`${base}/unread`)).unread,
  refetchInterval: fallback,
});

/** Both lists as one, oldest first, each message once. */
export function merge(known: ChatMessage[], fresh: ChatMessage[]): ChatMessage[] {
  const byId = new Map(known.map((message) => [message.id, message]));
  for (const message of fresh) byId.set(message.id, message);
  return [...byId.values()].sort((a, b) =>
    a.createdAt === b.createdAt ? a.id.localeCompare(b.id) : a.createdAt.localeCompare(b.createdAt),
  );
}

export function useOpenChat() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (contactId: string) => api.post<Chat>(`${base}/chat`, { contactId }),
    onSuccess: (chat) => {
      client.setQueryData(chatsQuery.queryKey, (list = []) => (list.some((one) => one.id === chat.id) ? list : [chat, ...list]));
    },
  });
}

/** Tells the server that a conversation was looked at. */
export async function markRead(client: QueryClient, chatId: string) {
  client.setQueryData(chatsQuery.queryKey, (list) => list?.map((chat) => (chat.id === chatId ? { ...chat, unreadCount: 0 } : chat)));
  await api.post(`${base}/read`, { chatId }).catch(() => undefined);
  void client.invalidateQueries({ queryKey: unreadChatsQuery.queryKey });
}

/** A message on its way: shown at once, and marked until the server has it. */
export interface Outgoing {
  clientId: string;
  value: string;
  createdAt: string;
  failed: boolean;
}

/** Sends into a conversation; what failed stays and can be sent again, once for the server. */
export function useOutbox(chatId: string) {
  const client = useQueryClient();
  const [pending, setPending] = useState<Outgoing[]>([]);

  const deliver = useCallback(
    async (message: Outgoing) => {
      setPending((list) => [...list.filter((one) => one.clientId !== message.clientId), { ...message, failed: false }]);
      try {
        const sent = await api.post<ChatMessage>(`${base}/messages`, { chatId, value: message.value, clientId: message.clientId });
        client.setQueryData(chatQuery(chatId).queryKey, (chat) => chat && { ...chat, messages: merge(chat.messages ?? [], [sent]) });
        setPending((list) => list.filter((one) => one.clientId !== message.clientId));
        void client.invalidateQueries({ queryKey: chatsQuery.queryKey, exact: true });
      } catch {
        setPending((list) => list.map((one) => (one.clientId === message.clientId ? { ...one, failed: true } : one)));
      }
    },
    [client, chatId],
  );

  return {
    pending,
    send: (value: string) => deliver({ clientId: newId(), value, createdAt: new Date().toISOString(), failed: false }),
    retry: deliver,
  };
}

/** `crypto.randomUUID` exists on secure origins only; an installation in a plain-HTTP network has the rest. */
function newId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Pages back through a conversation. */
export function useHistory(chatId: string) {
  const client = useQueryClient();
  const { data } = useQuery({ ...chatQuery(chatId), refetchInterval: false, enabled: false });
  const [exhausted, setExhausted] = useState(false);
  const older = useMutation({
    mutationFn: () => {
      const before = data?.messages?.[0]?.id;
      return api.get<ChatHistory>(`${base}/messages`, { query: { chatId, before, limit: 50 } });
    },
    onSuccess: ({ items, more }) => {
      client.setQueryData(chatQuery(chatId).queryKey, (chat) => chat && { ...chat, messages: merge(items, chat.messages ?? []) });
      setExhausted(!more);
    },
  });
  return { load: () => older.mutate(), isLoading: older.isPending, more: !exhausted && (data?.messages?.length ?? 0) >= 50 };
}
