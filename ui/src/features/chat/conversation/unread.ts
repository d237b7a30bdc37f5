import type { ChatMessage } from "@/api/schema";

/** Returns the first message that is unread, if it is among these. */
export function firstNew(
  { messages, more }: { messages: ChatMessage[]; more: boolean },
  { mark, unread }: { mark: string | undefined; unread: number },
): string | undefined {
  if (unread <= 0) return undefined;
  const others = messages.filter((message) => !message.isMine);
  if (mark) {
    const first = others.find(({ id }) => id > mark);
    // If the first loaded message is already unread, the first unread one is further above.
    return first && (!more || messages[0]?.id !== first.id) ? first.id : undefined;
  }
  const texts = others.filter(({ kind }) => kind === "text");
  return texts.length >= unread ? texts.at(-unread)?.id : more ? undefined : texts[0]?.id;
}

/**
 * Returns, per message, the members who have read up to it; with two participants, only under the member's last one.
 */
export function readersOf(
  messages: ChatMessage[],
  read: { memberId: string; messageId: string }[],
  { me, isGroup }: { me: string; isGroup: boolean },
): Map<string, string> {
  const found = new Map<string, string>();
  for (const { memberId, messageId } of read) {
    if (memberId === me) continue;
    const shown = messages.findLast(
      ({ id, isMine, kind, removed }) => id <= messageId && (isGroup || (isMine && kind === "text" && !removed)),
    );
    // The author has read the message.
    if (!shown || (isGroup && shown.contactId === memberId)) continue;
    const before = found.get(shown.id);
    found.set(shown.id, before ? `${before} ${memberId}` : memberId);
  }
  return found;
}
