import { QueryClient } from "@tanstack/react-query";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { Chat } from "@/api/schema";
import { message, pair } from "@/test/chat";
import { type Talk, talkKey } from "./cache";
import { chatNews } from "./news";
import { useTyping } from "./typing";

let client: QueryClient;
const chats = () => client.getQueryData<Chat[]>(["chats"]);
const talk = () => client.getQueryData<Talk>(talkKey("c"));

beforeEach(() => {
  vi.useFakeTimers();
  client = new QueryClient();
  client.setQueryData(
    ["chats"],
    [pair({ lastMessageAt: "2026-11-21T09:00:00Z" }), pair({ id: "d", lastMessageAt: "2026-11-21T08:00:00Z" })],
  );
  client.setQueryData(["chats", "unread"], 0);
  client.setQueryData<Talk>(talkKey("c"), { chat: pair(), messages: [message("1")], more: false, newer: false });
});
afterEach(() => vi.useRealTimers());

it("puts a message where it belongs, new or changed", () => {
  chatNews["chat.message"]?.({ chatId: "c", message: message("2") }, client);
  chatNews["chat.message"]?.({ chatId: "c", message: message("1", { value: "", removed: true }) }, client);
  expect(talk()?.messages.map(({ id, removed }) => [id, removed])).toEqual([
    ["1", true],
    ["2", false],
  ]);
});

it("brings a livelier conversation to the top, with the server's number of unread messages", () => {
  chatNews["chat.changed"]?.({ chat: pair({ id: "d", unreadCount: 3, lastMessageAt: "2026-11-21T10:00:00Z" }), unread: 7 }, client);
  expect(chats()?.map(({ id, unreadCount }) => [id, unreadCount])).toEqual([
    ["d", 3],
    ["c", 0],
  ]);
  expect(client.getQueryData(["chats", "unread"])).toBe(7);
});

it("moves a read mark forward only", () => {
  chatNews["chat.read"]?.({ chatId: "c", memberId: "m", messageId: "5" }, client);
  chatNews["chat.read"]?.({ chatId: "c", memberId: "m", messageId: "3" }, client);
  expect(talk()?.chat.read).toEqual([{ memberId: "m", messageId: "5" }]);
  expect(chats()?.[0]?.read).toEqual([{ memberId: "m", messageId: "5" }]);
});

it("shows for six seconds that somebody writes, unless what they wrote is there before", () => {
  const typing = { chatId: "c", memberId: "m" };
  chatNews["chat.typing"]?.(typing, client);
  expect(useTyping.getState().who.c).toEqual(["m"]);
  vi.advanceTimersByTime(5_000);
  chatNews["chat.typing"]?.(typing, client);
  vi.advanceTimersByTime(5_000);
  expect(useTyping.getState().who.c).toEqual(["m"]);
  vi.advanceTimersByTime(1_000);
  expect(useTyping.getState().who.c).toEqual([]);
  chatNews["chat.typing"]?.(typing, client);
  chatNews["chat.message"]?.({ chatId: "c", message: message("9") }, client);
  expect(useTyping.getState().who.c).toEqual([]);
});

it("forgets a conversation that one has left", () => {
  chatNews["chat.left"]?.({ chatId: "c" }, client);
  expect(chats()?.map(({ id }) => id)).toEqual(["d"]);
});
