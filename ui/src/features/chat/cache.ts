import type { QueryClient } from "@tanstack/react-query";
import type { Chat, ChatMessage } from "@/api/schema";
import { insertMessage, type MessageWindow } from "./message-window";

/** The cached state of an open conversation: its record and the loaded window of its messages. */
export interface ConversationState extends MessageWindow {
  chat: Chat;
}

export const conversationKey = (chatId: string) => ["chat", chatId];

const lively = (chat: Chat) => chat.lastMessageAt ?? "";

/** Updates a conversation in the list, which is sorted by last activity. */
export function listed(client: QueryClient, { messages: _messages, ...chat }: Chat) {
  client.setQueryData<Chat[]>(
    ["chats"],
    (list) => list && [...list.filter((one) => one.id !== chat.id), chat].sort((a, b) => lively(b).localeCompare(lively(a))),
  );
  client.setQueryData<ConversationState>(conversationKey(chat.id), (conversation) => conversation && { ...conversation, chat });
}

/** Applies a change to a conversation in all cached queries. */
export function changed(client: QueryClient, chatId: string, change: (chat: Chat) => Chat) {
  client.setQueryData<Chat[]>(["chats"], (list) => list?.map((chat) => (chat.id === chatId ? change(chat) : chat)));
  client.setQueryData<ConversationState>(
    conversationKey(chatId),
    (conversation) => conversation && { ...conversation, chat: change(conversation.chat) },
  );
}

/** Inserts a message in order, or replaces it if it was changed. */
export function placed(client: QueryClient, message: ChatMessage) {
  client.setQueryData<ConversationState>(
    conversationKey(message.chatId),
    (conversation) => conversation && { ...conversation, ...insertMessage(conversation, message) },
  );
}

/**
 * Removes a conversation that the member has left. Its open screen keeps its data, because it would request it again.
 */
export function left(client: QueryClient, chatId: string) {
  client.setQueryData<Chat[]>(["chats"], (list) => list?.filter((chat) => chat.id !== chatId));
}

/** Records that a member has read up to a message. The later of two marks applies: ids follow time. */
export function readUpTo(client: QueryClient, chatId: string, memberId: string, messageId: string) {
  changed(client, chatId, (chat) => {
    const before = chat.read.find((mark) => mark.memberId === memberId);
    if (before && before.messageId >= messageId) return chat;
    return { ...chat, read: [...chat.read.filter((mark) => mark !== before), { memberId, messageId }] };
  });
}
