import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, it } from "vitest";
import type { ChatMessage } from "@/api/schema";
import { accept } from "@/api/session";
import { message, pair } from "@/test/chat";
import { signedIn } from "@/test/people";
import { renderApp } from "@/test/render";
import { Answer, standInServer } from "@/test/server";
import { ChatDock } from "./chat-dock";
import { ChatTool } from "./chat-tool";
import { useOutgoing } from "./conversation/outbox";

const server = standInServer();
let messages: ChatMessage[];
let unread: number;

const said = (id: string, isMine: boolean, createdAt: string, value = `Text ${id}`) => message(id, { isMine, createdAt, value });
const chat = () => pair({ unreadCount: unread });

beforeEach(() => {
  accept(signedIn());
  localStorage.clear();
  sessionStorage.clear();
  useOutgoing.setState({ messages: [] });
  unread = 2;
  messages = [said("1", false, "2025-11-20T15:52:00Z"), said("2", true, "2025-11-20T15:55:00Z"), said("3", false, "2025-11-21T08:01:00Z")];
  server.on("GET /api/apps/chat/chats", () => [chat()]);
  server.on("GET /api/apps/chat/contacts", () => []);
  server.on("GET /api/apps/chat/unread", () => ({ unread }));
  server.on("GET /api/apps/chat/chat", () => ({ ...chat(), messages }));
  server.on("POST /api/apps/chat/read", () => {
    unread = 0;
    return chat();
  });
  server.on("POST /api/apps/chat/messages", ({ body }) => {
    const { value, clientId } = body as { value: string; clientId: string };
    const sent = { ...said(`n${messages.length}`, true, "2025-11-21T09:02:00Z", value), clientId };
    messages = [...messages, sent];
    return new Answer(201, sent);
  });
});

async function open() {
  renderApp(
    <>
      <ChatTool />
      <ChatDock />
    </>,
  );
  await userEvent.click(screen.getByRole("button", { name: "Chat" }));
  const drawer = await screen.findByRole("dialog", { name: "Team Chat" });
  return { drawer, ...within(drawer) };
}

async function converse() {
  const drawer = await open();
  await userEvent.click(await drawer.findByRole("button", { name: /José Núñez/ }));
  return { ...drawer, log: await drawer.findByRole("log", { name: "Messages with José Núñez" }) };
}

it("lists conversations with unread counts, and asks to select one", async () => {
  const { findByText, findByRole } = await open();
  expect(await findByText("Select a conversation")).toBeVisible();
  expect(await findByRole("button", { name: "José Núñez, 2 unread messages" })).toBeVisible();
  await waitFor(() => expect(screen.getByRole("button", { name: "Chat", hidden: true })).toHaveAccessibleDescription("2 unread messages"));
});

it("shows a conversation with days, own messages right and others left, and marks it as read", async () => {
  unread = 1;
  const { log } = await converse();
  await within(log).findByText("Text 1");
  const rows = within(log).getAllByRole("listitem");
  expect(rows.map((row) => row.textContent)).toEqual([
    "Thursday, November 20, 2025",
    "José Núñez: Text 14:52 PM",
    "You: Text 24:55 PM",
    "Friday, November 21, 2025",
    "New messages",
    "José Núñez: Text 39:01 AM",
  ]);
  expect(rows[1]).toHaveClass("self-start");
  expect(rows[2]).toHaveClass("self-end");
  await waitFor(() => expect(server.sent("POST /api/apps/chat/read")[0]?.body).toEqual({ chatId: "c", messageId: "3" }));
  expect(await screen.findByRole("button", { name: "José Núñez" })).toBeVisible();
});

it("shows a sent message, keeps a failed one, and resends it with the same client id", async () => {
  const { log, getByLabelText, getByRole } = await converse();
  expect(getByRole("button", { name: "Send" })).toBeDisabled();
  await userEvent.type(getByLabelText("Write a message"), "On it{Enter}");
  expect(await within(log).findByText("On it")).toBeVisible();
  await waitFor(() => expect(within(log).queryByText("Sending")).toBeNull());

  server.on("POST /api/apps/chat/messages", () => new Answer(503, { error: { code: "busy", message: "Busy" } }));
  await userEvent.type(getByLabelText("Write a message"), "Lost{Enter}");
  expect(await within(log).findByText("Not sent yet. It’s sent as soon as possible.")).toBeVisible();
  server.on("POST /api/apps/chat/messages", ({ body }) => {
    const { value, clientId } = body as { value: string; clientId: string };
    return new Answer(201, { ...said("z", true, "2025-11-21T09:03:00Z", value), clientId });
  });
  await userEvent.click(within(log).getByRole("button", { name: "Try again" }));
  await waitFor(() => expect(within(log).queryByText("Not sent yet. It’s sent as soon as possible.")).toBeNull());
  expect(within(log).getAllByText("Lost")).toHaveLength(1);
  const [, failed, again] = server.sent("POST /api/apps/chat/messages").map(({ body }) => body as { clientId: string; value: string });
  expect(again).toEqual(failed);
});

it("loads earlier messages", async () => {
  messages = Array.from({ length: 50 }, (_, at) =>
    said(`p${String(at).padStart(2, "0")}`, false, `2025-11-21T09:${String(at).padStart(2, "0")}:00`),
  );
  server.on("GET /api/apps/chat/messages", () => ({ items: [said("0", false, "2025-11-20T08:00:00", "The first")], more: false }));
  const { log } = await converse();
  await userEvent.click(await within(log).findByRole("button", { name: "Show earlier messages" }));
  expect(await within(log).findByText("The first")).toBeVisible();
  expect(server.sent("GET /api/apps/chat/messages")[0]?.query.get("before")).toBe("p00");
  expect(within(log).queryByRole("button", { name: "Show earlier messages" })).toBeNull();
});

it("starts a conversation with a colleague", async () => {
  server.on("GET /api/apps/chat/contacts", () => [
    { id: "m", name: "José Núñez", about: "Sales" },
    { id: "a", name: "Ana López" },
  ]);
  server.on("POST /api/apps/chat/chat", () => chat());
  const { getByRole, findByRole, getByLabelText, queryByRole } = await open();
  await userEvent.click(getByRole("button", { name: "New conversation" }));
  await userEvent.type(await findByRole("searchbox", { name: "Find a colleague" }), "nunez");
  expect(queryByRole("button", { name: /Ana López/ })).toBeNull();
  await userEvent.click(getByRole("button", { name: /José Núñez.*Sales/ }));
  expect(await findByRole("log")).toBeVisible();
  expect(getByLabelText("Write a message")).toBeVisible();
  expect(server.sent("POST /api/apps/chat/chat")[0]?.body).toEqual({ contactId: "m" });
});
