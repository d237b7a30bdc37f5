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

it("puts a message where it belongs, new or changed", () => {
  chatHandlers["chat.message"]?.({ chatId: "c", message: message("2") }, client);
  chatHandlers["chat.message"]?.({ chatId: "c", message: message("1", { value: "", removed: true }) }, client);
  expect(conversation()?.messages.map(({ id, removed }) => [id, removed])).toEqual([
    ["1", true],
    ["2", false],
  ]);
});

it("brings a livelier conversation to the top, with the server's number of unread messages", () => {
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

it("shows for six seconds that somebody writes, unless what they wrote is there before", () => {
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

it("forgets a conversation that one has left", () => {
  chatHandlers["chat.left"]?.({ chatId: "c" }, client);
  expect(chats()?.map(({ id }) => id)).toEqual(["d"]);
});
