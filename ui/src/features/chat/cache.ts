import type { QueryClient } from "@tanstack/react-query";
import type { Chat, ChatMessage } from "@/api/schema";
import { insertMessage, type MessageWindow } from "./message-window";

/** What is kept of a conversation that is on the screen: itself, and the stretch of its messages that is shown. */
export interface ConversationState extends MessageWindow {
  chat: Chat;
}

export const conversationKey = (chatId: string) => ["chat", chatId];

const lively = (chat: Chat) => chat.lastMessageAt ?? "";

/** Keeps a conversation in the list, the liveliest first. */
export function listed(client: QueryClient, { messages: _messages, ...chat }: Chat) {
  client.setQueryData<Chat[]>(
    ["chats"],
    (list) => list && [...list.filter((one) => one.id !== chat.id), chat].sort((a, b) => lively(b).localeCompare(lively(a))),
  );
  client.setQueryData<ConversationState>(conversationKey(chat.id), (talk) => talk && { ...talk, chat });
}

/** Changes what is known of a conversation, wherever it is shown. */
export function changed(client: QueryClient, chatId: string, change: (chat: Chat) => Chat) {
  client.setQueryData<Chat[]>(["chats"], (list) => list?.map((chat) => (chat.id === chatId ? change(chat) : chat)));
  client.setQueryData<ConversationState>(conversationKey(chatId), (talk) => talk && { ...talk, chat: change(talk.chat) });
}

/** Puts a message in its place: a new one, or one that was changed. */
export function placed(client: QueryClient, message: ChatMessage) {
  client.setQueryData<ConversationState>(conversationKey(message.chatId), (talk) => talk && { ...talk, ...insertMessage(talk, message) });
}

/** A conversation that is the person's no more. What was shown of it goes with the screen that shows it, which else would ask for it again. */
export function left(client: QueryClient, chatId: string) {
  client.setQueryData<Chat[]>(["chats"], (list) => list?.filter((chat) => chat.id !== chatId));
}

/** Somebody has read up to a message. Of two marks the later one holds: ids follow time. */
export function readUpTo(client: QueryClient, chatId: string, memberId: string, messageId: string) {
  changed(client, chatId, (chat) => {
    const before = chat.read.find((mark) => mark.memberId === memberId);
    if (before && before.messageId >= messageId) return chat;
    return { ...chat, read: [...chat.read.filter((mark) => mark !== before), { memberId, messageId }] };
  });
}
