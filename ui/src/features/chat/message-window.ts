import type { ChatMessage } from "@/api/schema";

/** A stretch of a conversation's messages, oldest first. */
export interface MessageWindow {
  messages: ChatMessage[];
  /** Whether there are older ones than these. */
  more: boolean;
  /** Whether there are newer ones than these. */
  newer: boolean;
}

/** Messages that are kept at once: a conversation may have any number. */
export const maxMessages = 300;

/** Both lists as one, oldest first, each message once and as the second has it. */
export function mergeMessages(known: ChatMessage[], fresh: ChatMessage[]): ChatMessage[] {
  const byId = new Map(known.map((message) => [message.id, message]));
  for (const message of fresh) byId.set(message.id, message);
  return [...byId.values()].sort((a, b) =>
    a.createdAt === b.createdAt ? a.id.localeCompare(b.id) : a.createdAt.localeCompare(b.createdAt),
  );
}

/** With what comes before it; what is too far below goes. */
export function withOlder(stretch: MessageWindow, items: ChatMessage[], more: boolean): MessageWindow {
  const messages = mergeMessages(items, stretch.messages);
  const cut = messages.length > maxMessages;
  return { messages: cut ? messages.slice(0, maxMessages) : messages, more, newer: stretch.newer || cut };
}

/** With what comes after it; what is too far above goes. */
export function withNewer(stretch: MessageWindow, items: ChatMessage[], newer: boolean): MessageWindow {
  const messages = mergeMessages(stretch.messages, items);
  const cut = messages.length > maxMessages;
  return { messages: cut ? messages.slice(-maxMessages) : messages, more: stretch.more || cut, newer };
}

/** With a message that was said or changed; one that does not belong to this stretch is left out. */
export function insertMessage(stretch: MessageWindow, message: ChatMessage): MessageWindow {
  const known = stretch.messages.findIndex((one) => one.id === message.id);
  if (known >= 0) return { ...stretch, messages: stretch.messages.with(known, message) };
  const first = stretch.messages[0];
  // Older than what is shown, or newer than what is shown while something between is missing.
  if (first && message.createdAt < first.createdAt && stretch.more) return stretch;
  if (stretch.newer) return stretch;
  return withNewer(stretch, [message], false);
}
