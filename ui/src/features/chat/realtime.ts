import type { FrameHandlers } from "@/api/frames";
import { left, listed, placed, readUpTo } from "./cache";
import { unreadChatsQuery } from "./data";
import { addTyping, removeTyping } from "./typing";

/** Applies chat frames to the query cache and the stores. */
export const chatHandlers: FrameHandlers = {
  "chat.message": ({ chatId, message }, client) => {
    removeTyping(chatId, message.contactId);
    placed(client, message);
    for (const { recordId } of message.references) void client.invalidateQueries({ queryKey: ["timeline", recordId] });
  },
  "chat.changed": ({ chat, unread }, client) => {
    listed(client, chat);
    client.setQueryData(unreadChatsQuery.queryKey, unread);
  },
  "chat.left": ({ chatId }, client) => {
    left(client, chatId);
    void client.invalidateQueries({ queryKey: unreadChatsQuery.queryKey });
  },
  "chat.read": ({ chatId, memberId, messageId }, client) => readUpTo(client, chatId, memberId, messageId),
  "chat.typing": ({ chatId, memberId }) => addTyping(chatId, memberId),
};
