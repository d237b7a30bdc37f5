import { QueryClient } from "@tanstack/react-query";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { Chat } from "@/api/schema";
import { message, pair } from "@/test/chat";
import { type ConversationState, conversationKey } from "./cache";
import { chatHandlers } from "./realtime";
import { useTyping } from "./typing";

let client: QueryClient;
const chats = () => client.getQueryData<Chat[]>(["chats"]);
const conversation = () => client.getQueryData<ConversationState>(conversationKey("c"));

beforeEach(() => {
  vi.useFakeTimers();
  client = new QueryClient();
  client.setQueryData(
    ["chats"],
    [pair({ lastMessageAt: "2026-11-21T09:00:00Z" }), pair({ id: "d", lastMessageAt: "2026-11-21T08:00:00Z" })],
  );
  client.setQueryData(["chats", "unread"], 0);
  client.setQueryData<ConversationState>(conversationKey("c"), { chat: pair(), messages: [message("1")], more: false, newer: false });
});
afterEach(() => vi.useRealTimers());

it("adds a new message, and updates a changed one", () => {
  chatHandlers["chat.message"]?.({ chatId: "c", message: message("2") }, client);
  chatHandlers["chat.message"]?.({ chatId: "c", message: message("1", { value: "", removed: true }) }, client);
  expect(conversation()?.messages.map(({ id, removed }) => [id, removed])).toEqual([
    ["1", true],
    ["2", false],
  ]);
});

it("moves the most recent conversation to the top, with the server's unread count", () => {
  chatHandlers["chat.changed"]?.({ chat: pair({ id: "d", unreadCount: 3, lastMessageAt: "2026-11-21T10:00:00Z" }), unread: 7 }, client);
  expect(chats()?.map(({ id, unreadCount }) => [id, unreadCount])).toEqual([
    ["d", 3],
    ["c", 0],
  ]);
  expect(client.getQueryData(["chats", "unread"])).toBe(7);
});

it("moves a read mark forward only", () => {
  chatHandlers["chat.read"]?.({ chatId: "c", memberId: "m", messageId: "5" }, client);
  chatHandlers["chat.read"]?.({ chatId: "c", memberId: "m", messageId: "3" }, client);
  expect(conversation()?.chat.read).toEqual([{ memberId: "m", messageId: "5" }]);
  expect(chats()?.[0]?.read).toEqual([{ memberId: "m", messageId: "5" }]);
});

it("shows that a member is typing for six seconds or until the message arrives", () => {
  const typing = { chatId: "c", memberId: "m" };
  chatHandlers["chat.typing"]?.(typing, client);
  expect(useTyping.getState().who.c).toEqual(["m"]);
  vi.advanceTimersByTime(5_000);
  chatHandlers["chat.typing"]?.(typing, client);
  vi.advanceTimersByTime(5_000);
  expect(useTyping.getState().who.c).toEqual(["m"]);
  vi.advanceTimersByTime(1_000);
  expect(useTyping.getState().who.c).toEqual([]);
  chatHandlers["chat.typing"]?.(typing, client);
  chatHandlers["chat.message"]?.({ chatId: "c", message: message("9") }, client);
  expect(useTyping.getState().who.c).toEqual([]);
});

it("removes a conversation that the member has left", () => {
  chatHandlers["chat.left"]?.({ chatId: "c" }, client);
  expect(chats()?.map(({ id }) => id)).toEqual(["d"]);
});
