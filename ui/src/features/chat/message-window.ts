import type { ChatMessage } from "@/api/schema";

/** A window of a conversation's messages, oldest first. */
export interface MessageWindow {
  messages: ChatMessage[];
  /** Whether there are older messages. */
  more: boolean;
  /** Whether there are newer messages. */
  newer: boolean;
}

/** Maximum loaded messages: a conversation may have any number. */
export const maxMessages = 300;

/** Merges two lists, oldest first; of a message in both, the second list's version is used. */
export function mergeMessages(known: ChatMessage[], fresh: ChatMessage[]): ChatMessage[] {
  const byId = new Map(known.map((message) => [message.id, message]));
  for (const message of fresh) byId.set(message.id, message);
  return [...byId.values()].sort((a, b) =>
    a.createdAt === b.createdAt ? a.id.localeCompare(b.id) : a.createdAt.localeCompare(b.createdAt),
  );
}

/** Adds older messages, and drops the newest beyond the maximum. */
export function withOlder(messageWindow: MessageWindow, items: ChatMessage[], more: boolean): MessageWindow {
  const messages = mergeMessages(items, messageWindow.messages);
  const cut = messages.length > maxMessages;
  return { messages: cut ? messages.slice(0, maxMessages) : messages, more, newer: messageWindow.newer || cut };
}

/** Adds newer messages, and drops the oldest beyond the maximum. */
export function withNewer(messageWindow: MessageWindow, items: ChatMessage[], newer: boolean): MessageWindow {
  const messages = mergeMessages(messageWindow.messages, items);
  const cut = messages.length > maxMessages;
  return { messages: cut ? messages.slice(-maxMessages) : messages, more: messageWindow.more || cut, newer };
}

/** Inserts a new or changed message; leaves out one outside of this window. */
export function insertMessage(messageWindow: MessageWindow, message: ChatMessage): MessageWindow {
  const known = messageWindow.messages.findIndex((one) => one.id === message.id);
  if (known >= 0) return { ...messageWindow, messages: messageWindow.messages.with(known, message) };
  const first = messageWindow.messages[0];
  // Older than the window, or newer while messages in between are missing.
  if (first && message.createdAt < first.createdAt && messageWindow.more) return messageWindow;
  if (messageWindow.newer) return messageWindow;
  return withNewer(messageWindow, [message], false);
}
