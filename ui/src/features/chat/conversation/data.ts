import { type QueryClient, queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { api } from "@/api/client";
import { fallbackRefreshMs } from "@/api/query";
import type {
  AttachedFile,
  ChatMessage,
  ChatMessageFilter,
  ChatMessagePatch,
  ChatPatch,
  Mention,
  NewTask,
  RecordReferenceInput,
} from "@/api/schema";
import { type ConversationState, changed, conversationKey, listed, placed, readUpTo } from "../cache";
import { chatsQuery, unreadChatsQuery } from "../data";
import { type MessageWindow, maxMessages, mergeMessages, withNewer, withOlder } from "../message-window";

/** Messages per request. */
const pageSize = 50;

const messagesOf = (chatId: string, where: Omit<ChatMessageFilter, "chatId">, limit = pageSize) =>
  api.get("/api/apps/chat/messages", { query: { chatId, ...where, limit } });

/** Reloads the message window from the server. */
async function anew(chatId: string, known: MessageWindow, fresh: ChatMessage[]): Promise<MessageWindow> {
  const first = known.messages[0];
  const middle = known.messages[Math.floor(known.messages.length / 2)];
  if (known.newer && middle) {
    const { items, more, newer } = await messagesOf(chatId, { around: middle.id }, Math.min(known.messages.length, 200));
    return { messages: items, more, newer };
  }
  const oldest = fresh[0];
  const more = fresh.length >= pageSize;
  const meets = oldest && first && known.messages.some(({ id }) => id >= oldest.id);
  // If messages are missing in between, older ones are loaded again on scrolling.
  if (!oldest || !meets || oldest.id <= first.id || !more) return { messages: fresh, more, newer: false };
  const above = known.messages.filter(({ id }) => id < oldest.id).length;
  const older = await messagesOf(chatId, { before: oldest.id }, Math.min(above, maxMessages - pageSize, 200));
  return { messages: mergeMessages(older.items, fresh), more: older.more, newer: false };
}

/** A conversation with its loaded window of messages, at first the newest. */
export const conversationQuery = (id: string) =>
  queryOptions({
    queryKey: conversationKey(id),
    queryFn: async ({ client }): Promise<ConversationState> => {
      const { messages: fresh = [], ...chat } = await api.get("/api/apps/chat/chat", { query: { id } });
      const before = client.getQueryData<ConversationState>(conversationKey(id));
      if (!before || before.messages.length === 0) return { chat, messages: fresh, more: fresh.length >= pageSize, newer: false };
      const messageWindow = await anew(id, before, fresh);
      // Messages that arrived during the request are kept.
      const now = client.getQueryData<ConversationState>(conversationKey(id));
      const last = messageWindow.messages.at(-1);
      const since = now && !messageWindow.newer ? now.messages.filter((one) => last && one.id > last.id) : [];
      return { chat, ...messageWindow, messages: mergeMessages(messageWindow.messages, since) };
    },
    refetchInterval: fallbackRefreshMs,
    staleTime: 0,
  });

/** Moves the message window of a conversation. */
export function useMessageWindow(chatId: string) {
  const client = useQueryClient();
  const show = (change: (conversation: ConversationState) => MessageWindow) =>
    client.setQueryData<ConversationState>(
      conversationKey(chatId),
      (conversation) => conversation && { ...conversation, ...change(conversation) },
    );
  const shown = () => client.getQueryData<ConversationState>(conversationKey(chatId));

  const older = useMutation({
    mutationFn: () => messagesOf(chatId, { before: shown()?.messages[0]?.id }),
    onSuccess: ({ items, more }) => show((conversation) => withOlder(conversation, items, more)),
  });
  const newer = useMutation({
    mutationFn: () => messagesOf(chatId, { after: shown()?.messages.at(-1)?.id }),
    onSuccess: ({ items, newer }) => show((conversation) => withNewer(conversation, items, newer)),
  });
  /** Loads the messages around a given one. */
  const around = useMutation({
    mutationFn: (messageId: string) => messagesOf(chatId, { around: messageId }),
    onSuccess: ({ items, more, newer }) => show(() => ({ messages: items, more, newer })),
  });
  const latest = useMutation({
    mutationFn: () => messagesOf(chatId, {}),
    onSuccess: ({ items, more }) => show(() => ({ messages: items, more, newer: false })),
  });
  return { older, newer, around, latest };
}

/** The parts of a message that are sent. */
export interface Sending {
  chatId: string;
  clientId: string;
  value: string;
  attachments: AttachedFile[];
  mentions: Mention[];
  references: RecordReferenceInput[];
}

/** Sends a message; the server stores one message per `clientId`. */
export async function sendMessage(client: QueryClient, sending: Sending): Promise<void> {
  const body = { ...sending, attachments: sending.attachments.map(({ path }) => path) };
  const message = await api.post("/api/apps/chat/messages", body);
  placed(client, message);
  const { chatId, value, createdAt, contactId } = message;
  const chat = client.getQueryData(chatsQuery.queryKey)?.find(({ id }) => id === chatId);
  if (chat) listed(client, { ...chat, lastMessage: value.slice(0, 200), lastMessageAt: createdAt, lastAuthorId: contactId });
}

/** Reports up to which message a conversation was read, and shows it. */
export async function markRead(client: QueryClient, chatId: string, me: string, messageId: string, all: boolean) {
  const before = client.getQueryData<ConversationState>(conversationKey(chatId))?.chat.unreadCount ?? 0;
  readUpTo(client, chatId, me, messageId);
  if (all && before > 0) changed(client, chatId, (chat) => ({ ...chat, unreadCount: 0 }));
  try {
    const chat = await api.post("/api/apps/chat/read", { chatId, messageId });
    changed(client, chatId, (now) => ({ ...now, unreadCount: chat.unreadCount }));
  } catch {
    // The next message that is seen reports it again.
  }
  void client.invalidateQueries({ queryKey: unreadChatsQuery.queryKey });
}

/** Changes to a message; the screen shows failures. */
export function useMessageCalls() {
  const client = useQueryClient();
  const show = (message: ChatMessage) => placed(client, message);
  return {
    edit: useMutation({
      mutationFn: ({ id, ...change }: ChatMessagePatch & { id: string }) =>
        api.patch("/api/apps/chat/messages/{id}", change, { path: { id } }),
      // Without a connection it fails, and its field says so and keeps what was typed.
      networkMode: "always",
      meta: { handled: true },
      onSuccess: show,
    }),
    remove: useMutation({ mutationFn: (id: string) => api.delete("/api/apps/chat/messages/{id}", { path: { id } }), onSuccess: show }),
    react: useMutation({
      mutationFn: ({ message, emoji, on }: { message: ChatMessage; emoji: string; on: boolean; me: string }) =>
        api.post("/api/apps/chat/messages/{id}/reactions", { emoji, on }, { path: { id: message.id } }),
      onMutate: ({ message, emoji, on, me }) => {
        const others = message.reactions.find((one) => one.emoji === emoji)?.memberIds.filter((id) => id !== me) ?? [];
        const memberIds = on ? [...others, me] : others;
        const known = message.reactions.some((one) => one.emoji === emoji);
        const reactions = known
          ? message.reactions.map((one) => (one.emoji === emoji ? { emoji, memberIds } : one))
          : [...message.reactions, { emoji, memberIds }];
        show({ ...message, reactions: reactions.filter((one) => one.memberIds.length > 0) });
      },
      onSuccess: show,
      onError: (_error, { message }) => show(message),
    }),
  };
}

/** Mutes a conversation, or changes its unread state. */
export function useChangeChat(chatId: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (chat: ChatPatch) => api.patch("/api/apps/chat/chat", { id: chatId, chat }),
    onMutate: (change) => changed(client, chatId, (chat) => ({ ...chat, ...change })),
    onSuccess: (chat) => listed(client, chat),
    onSettled: () => client.invalidateQueries({ queryKey: unreadChatsQuery.queryKey }),
    onError: () => client.invalidateQueries({ queryKey: ["chats"] }),
  });
}

/** Searches messages, in one conversation or in all. */
export const foundQuery = (q: string, chatId?: string) =>
  queryOptions({
    queryKey: ["chat-found", chatId ?? "", q],
    queryFn: async ({ signal }) => (await api.get("/api/apps/chat/search", { query: { q, chatId, limit: 50 }, signal })).items,
    enabled: q.length >= 2,
    staleTime: 0,
    gcTime: 60_000,
  });

/** Creates a task from a message. */
export function useMakeTask() {
  const client = useQueryClient();
  const refresh = () => {
    for (const key of ["tasks", "dashboards", "navigation"]) void client.invalidateQueries({ queryKey: [key] });
  };
  return {
    make: useMutation({
      mutationFn: (task: NewTask) => api.post("/api/tasks", { type: "task", ...task }),
      meta: { handled: true },
      onSuccess: refresh,
    }),
    undo: useMutation({ mutationFn: (id: string) => api.delete("/api/tasks/{id}", { path: { id } }), onSuccess: refresh }),
  };
}
