import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, it } from "vitest";
import type { Chat } from "@/api/schema";
import { accept } from "@/api/session";
import { group, message, pair } from "@/test/chat";
import { signedIn } from "@/test/people";
import { renderApp } from "@/test/render";
import { Answer, standInServer } from "@/test/server";
import { useTyping } from "../typing";
import { ChatPage } from "./chat-page";

const server = standInServer();
let chats: Chat[];

beforeEach(() => {
  accept(signedIn());
  localStorage.clear();
  sessionStorage.clear();
  useTyping.setState({ who: {} });
  chats = [
    pair({ unreadCount: 3, lastMessage: "See you", lastMessageAt: "2025-11-21T09:00:00Z", lastAuthorId: "m" }),
    group({ muted: true, lastMessage: "Fine", lastMessageAt: "2025-11-20T09:00:00Z", lastAuthorId: "u1" }),
  ];
  server.on("GET /api/apps/chat/chats", () => chats);
  server.on("GET /api/apps/chat/contacts", () => [{ id: "a", name: "Ana López", status: "away" }]);
  server.on("GET /api/apps/chat/unread", () => ({ unread: 0 }));
  server.on("POST /api/apps/chat/read", () => chats[0]);
  server.on("GET /api/apps/chat/chat", ({ query }) => {
    const chat = chats.find(({ id }) => id === query.get("id"));
    const words = `Could not found chat with id of ${query.get("id")}!`;
    return chat
      ? { ...chat, messages: [message("1", { chatId: chat.id })] }
      : new Answer(404, { error: { code: "chat_not_found", message: words } });
  });
});

const list = () => within(screen.getByRole("navigation", { name: "Conversations" }));

it("lists conversations with last message, author, unread count, muted state and typing", async () => {
  renderApp(<ChatPage />, { path: "/chat" });
  const jose = await list().findByRole("link", { name: /^José Núñez/ });
  expect(jose).toHaveAccessibleDescription("Online, 3 unread messages");
  expect(jose).toHaveTextContent("See you");
  const fair = list().getByRole("link", { name: /^Spring fair/ });
  expect(fair).toHaveAccessibleDescription("Muted");
  expect(fair).toHaveTextContent("You: Fine");
  useTyping.setState({ who: { c: ["m"] } });
  await waitFor(() => expect(jose).toHaveTextContent("Typing…"));
  expect(screen.getByText("Select a conversation")).toBeVisible();
});

it("opens a conversation, and shows the server's message for a missing one", async () => {
  const { router } = renderApp(<ChatPage />, { path: "/chat" });
  await userEvent.click(await list().findByRole("link", { name: /^Spring fair/ }));
  expect(await screen.findByRole("log", { name: "Messages with Spring fair" })).toBeVisible();
  expect(list().getByRole("link", { name: /^Spring fair/ })).toHaveAttribute("aria-current", "page");
  await router.navigate("/chat/nowhere");
  expect(await screen.findByText("Could not found chat with id of nowhere!", {}, { timeout: 20_000 })).toBeVisible();
});

it("finds conversations by name and messages by text, and opens a found message", async () => {
  const found = message("1", { chatId: "g", value: "Fine weather for the fair" });
  server.on("GET /api/apps/chat/search", () => ({ items: [{ message: found, chat: { id: "g", name: "Spring fair" } }] }));
  const { router } = renderApp(<ChatPage />, { path: "/chat" });
  await list().findByRole("link", { name: /^José Núñez/ });
  await userEvent.type(screen.getByRole("searchbox", { name: "Search conversations and messages" }), "fair");
  await waitFor(() => expect(list().queryByRole("link", { name: /^José Núñez/ })).toBeNull());
  await userEvent.click(await list().findByRole("button", { name: /Fine weather/ }));
  const log = await screen.findByRole("log", { name: "Messages with Spring fair" });
  await waitFor(() => expect(within(log).getByText("Text 1").closest("li")).toHaveFocus());
  expect(router.state.location).toMatchObject({ pathname: "/chat/g", search: "" });
});

it("creates a group with a name and members", async () => {
  server.on("POST /api/apps/chat/groups", () => {
    chats = [...chats, group({ id: "n", contactId: "n", contact: { id: "n", name: "Move", status: "not-visible" } })];
    return new Answer(201, chats.at(-1));
  });
  renderApp(<ChatPage />, { path: "/chat" });
  await list().findByRole("link", { name: /^José Núñez/ });
  await userEvent.click(screen.getByRole("button", { name: "New" }));
  await userEvent.click(await screen.findByRole("menuitem", { name: "New group" }));
  await userEvent.type(await screen.findByLabelText("Group name"), "Move");
  expect(screen.getByRole("button", { name: "Create group" })).toBeDisabled();
  await userEvent.click(screen.getByRole("checkbox", { name: /Ana López/ }));
  await userEvent.click(screen.getByRole("button", { name: "Create group" }));
  expect(await screen.findByRole("log", { name: "Messages with Move" })).toBeVisible();
  expect(server.sent("POST /api/apps/chat/groups")[0]?.body).toEqual({ name: "Move", memberIds: ["a"] });
});
