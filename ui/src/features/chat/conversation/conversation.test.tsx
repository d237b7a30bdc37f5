import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, it } from "vitest";
import { useLive } from "@/api/live";
import type { Chat, ChatMessage } from "@/api/schema";
import { accept } from "@/api/session";
import { group, message } from "@/test/chat";
import { signedIn } from "@/test/people";
import { renderApp } from "@/test/render";
import { Answer, standInServer } from "@/test/server";
import { readOutgoing } from "../outgoing";
import { Conversation } from "./conversation";
import { startOutbox, useOutgoing } from "./outbox";

const server = standInServer();
let chat: Chat;
let messages: ChatMessage[];

const now = () => new Date().toISOString();

beforeEach(() => {
  accept(signedIn());
  localStorage.clear();
  sessionStorage.clear();
  useOutgoing.setState({ messages: [] });
  chat = group();
  messages = [message("1", { chatId: "g" }), message("2", { chatId: "g", isMine: true, createdAt: now(), value: "Mine" })];
  server.on("GET /api/apps/chat/chat", () => ({ ...chat, messages }));
  server.on("GET /api/apps/chat/contacts", () => []);
  server.on("GET /api/apps/chat/unread", () => ({ unread: 0 }));
  server.on("POST /api/apps/chat/read", () => chat);
  server.on("POST /api/apps/chat/messages", ({ body }) => {
    const { value, clientId } = body as { value: string; clientId: string };
    return new Answer(201, message(`9${clientId}`, { chatId: "g", isMine: true, createdAt: now(), value, clientId }));
  });
});

async function open() {
  const app = renderApp(<Conversation chat={chat} />);
  const log = await screen.findByRole("log", { name: "Messages with Spring fair" });
  const field = screen.getByLabelText("Write a message");
  return { ...app, log, field };
}

it("suggests members after @, inserts one on Enter, and sends the mention to the server", async () => {
  const { field } = await open();
  await userEvent.type(field, "Ask @lop");
  expect(screen.getByRole("combobox")).toHaveAttribute("aria-expanded", "true");
  expect((await screen.findAllByRole("option")).map((one) => one.textContent)).toEqual(["Ana López"]);
  await userEvent.keyboard("{Enter}");
  expect(field).toHaveValue("Ask @Ana López ");
  expect(screen.queryByRole("option")).toBeNull();
  await userEvent.type(field, "please{Enter}");
  await waitFor(() =>
    expect(server.sent("POST /api/apps/chat/messages")[0]?.body).toMatchObject({
      value: "Ask @Ana López please",
      mentions: [{ memberId: "a", text: "@Ana López" }],
      references: [],
      attachments: [],
    }),
  );
});

it("Escape closes the suggestions, and the typed text is sent", async () => {
  const { field } = await open();
  await userEvent.type(field, "@ana{Escape}");
  expect(screen.queryByRole("option")).toBeNull();
  await userEvent.keyboard("{Enter}");
  await waitFor(() => expect(server.sent("POST /api/apps/chat/messages")[0]?.body).toMatchObject({ value: "@ana", mentions: [] }));
});

it("inserts a record after #, and sends the reference to the server", async () => {
  server.on("POST /api/common/search", () => [
    { id: "tasks", label: "Tasks", results: [{ id: "t", kind: "task", title: "Call the bank", link: "/tasks/t", value: "Call the bank" }] },
  ]);
  const { field } = await open();
  await userEvent.type(field, "#call");
  await screen.findByRole("option", { name: /Call the bank/ });
  await userEvent.keyboard("{Tab}{Enter}");
  await waitFor(() =>
    expect(server.sent("POST /api/apps/chat/messages")[0]?.body).toMatchObject({
      value: "#Call the bank",
      references: [{ kind: "task", recordId: "t", text: "#Call the bank" }],
    }),
  );
});

it("arrow up edits the member's last message, and a server error is shown", async () => {
  const { field } = await open();
  field.focus();
  await userEvent.keyboard("{ArrowUp}");
  const editing = await screen.findByLabelText("Edit message");
  expect(editing).toHaveValue("Mine");
  const late = { error: { code: "conflict", message: "You can only edit or delete a message within 15 minutes of sending it." } };
  server.on("PATCH /api/apps/chat/messages/2", () => new Answer(409, late));
  await userEvent.type(editing, "!{Enter}");
  expect(await screen.findByText(late.error.message)).toBeVisible();
  server.on("PATCH /api/apps/chat/messages/2", () => message("2", { chatId: "g", isMine: true, value: "Mine!", editedAt: now() }));
  await userEvent.keyboard("{Enter}");
  expect(await screen.findByText("edited")).toBeVisible();
  expect(await screen.findByLabelText("Write a message")).toHaveValue("");
});

// The kind of fault: what was typed into a message that exists is lost with the page when it could not be saved.
it("an edit of a message that could not be saved says so, and survives the page", async () => {
  server.on("PATCH /api/apps/chat/messages/2", () => {
    throw new TypeError("Failed to fetch");
  });
  const { field, unmount } = await open();
  field.focus();
  await userEvent.keyboard("{ArrowUp}");
  await userEvent.type(await screen.findByLabelText("Edit message"), "!{Enter}");
  expect(await screen.findByText("Not saved")).toBeVisible();
  unmount();
  renderApp(<Conversation chat={chat} />);
  expect(await screen.findByLabelText("Edit message")).toHaveValue("Mine!");
  expect(screen.getByText("We kept your unsaved text. Save it or discard it.")).toBeVisible();
  server.on("PATCH /api/apps/chat/messages/2", () => message("2", { chatId: "g", isMine: true, value: "Mine!", editedAt: now() }));
  await userEvent.type(screen.getByLabelText("Edit message"), "{Enter}");
  expect(await screen.findByText("edited")).toBeVisible();
  expect(await screen.findByLabelText("Write a message")).toHaveValue("");
  expect(Object.keys(localStorage)).toEqual([]);
});

it("does not offer to edit or delete an old message", async () => {
  messages = [message("1", { chatId: "g", isMine: true, createdAt: "2025-01-01T09:00:00Z", value: "Old" })];
  const { log, field } = await open();
  field.focus();
  await userEvent.keyboard("{ArrowUp}");
  expect(screen.queryByLabelText("Edit message")).toBeNull();
  const row = (await within(log).findByText("Old")).closest("li") as HTMLElement;
  row.focus();
  await within(row).findByRole("button", { name: "Message actions" });
  await userEvent.keyboard("{Enter}");
  expect(await screen.findByRole("menuitem", { name: "Copy text" })).toBeVisible();
  expect(screen.queryByRole("menuitem", { name: "Delete message" })).toBeNull();
});

it("arrow keys move between messages, which have a single tab stop", async () => {
  const { log } = await open();
  await within(log).findByText("Mine");
  const rows = within(log)
    .getAllByRole("listitem")
    .filter((row) => row.dataset.message);
  expect(rows.map((row) => row.tabIndex)).toEqual([-1, 0]);
  rows[1]?.focus();
  await userEvent.keyboard("{ArrowUp}");
  expect(rows[0]).toHaveFocus();
  expect(rows.map((row) => row.tabIndex)).toEqual([0, -1]);
});

it("keeps unsent messages through a reload, and sends them in order for the same member only", async () => {
  server.on("POST /api/apps/chat/messages", () => new Answer(503, { error: { code: "busy", message: "Busy" } }));
  const { field, log, unmount } = await open();
  await userEvent.type(field, "First{Enter}");
  await within(log).findByText("Not sent yet. It’s sent as soon as possible.");
  await userEvent.type(field, "Second{Enter}");
  await waitFor(() => expect(within(log).getAllByText("Not sent yet. It’s sent as soon as possible.")).toHaveLength(2));
  const kept = readOutgoing("u1") as { clientId: string }[];
  expect(kept).toHaveLength(2);
  unmount();

  // Another member's page does not send it; the same member's does.
  const { client } = await open();
  startOutbox(client, "somebody else");
  expect(useOutgoing.getState().messages).toEqual([]);
  const sent: string[] = [];
  server.on("POST /api/apps/chat/messages", ({ body }) => {
    const { value, clientId } = body as { value: string; clientId: string };
    sent.push(value);
    return new Answer(201, message(`9${value}`, { chatId: "g", isMine: true, createdAt: now(), value, clientId }));
  });
  startOutbox(client, "u1");
  await waitFor(() => expect(sent).toEqual(["First", "Second"]));
  await waitFor(() => expect(readOutgoing("u1")).toEqual([]));
});

it("sends unsent messages as soon as the server is reachable again", async () => {
  server.on("POST /api/apps/chat/messages", () => new Answer(503, { error: { code: "busy", message: "Busy" } }));
  const { field, log } = await open();
  await userEvent.type(field, "Waits{Enter}");
  await within(log).findByText("Not sent yet. It’s sent as soon as possible.");
  const tried = server.sent("POST /api/apps/chat/messages").length;
  useLive.setState({ reachable: false });
  server.on("POST /api/apps/chat/messages", ({ body }) => {
    const { value, clientId } = body as { value: string; clientId: string };
    return new Answer(201, message("99", { chatId: "g", isMine: true, createdAt: now(), value, clientId }));
  });
  useLive.setState({ reachable: true });
  expect(useOutgoing.getState().messages).toMatchObject([{ state: "sending" }]);
  await waitFor(() => expect(readOutgoing("u1")).toEqual([]));
  expect(server.sent("POST /api/apps/chat/messages")).toHaveLength(tried + 1);
});

it("shows why a message was rejected, lets it be discarded, and sends the next", async () => {
  server.on("POST /api/apps/chat/messages", ({ body }) => {
    const { value, clientId } = body as { value: string; clientId: string };
    return value === "No"
      ? new Answer(409, { error: { code: "conflict", message: "This person has left the company and can’t receive messages." } })
      : new Answer(201, message("99", { chatId: "g", isMine: true, createdAt: now(), value, clientId }));
  });
  const { field, log } = await open();
  await userEvent.type(field, "No{Enter}");
  expect(await within(log).findByText(/can’t receive messages/)).toBeVisible();
  await userEvent.type(field, "Yes{Enter}");
  await waitFor(() => expect(readOutgoing("u1")).toHaveLength(1));
  await userEvent.click(within(log).getByRole("button", { name: "Discard" }));
  expect(within(log).queryByText("No")).toBeNull();
  expect(field).toHaveFocus();
});

it("shows referenced records, missing records, deleted messages and group events", async () => {
  messages = [
    message("1", {
      chatId: "g",
      value: "#Lease and #Gone",
      references: [
        { kind: "task", recordId: "t", text: "#Lease", card: { title: "Lease", link: "/tasks/t", done: true } },
        { kind: "page", recordId: "p", text: "#Gone", card: null },
      ],
    }),
    message("2", { chatId: "g", value: "", removed: true }),
    message("3", { chatId: "g", kind: "event", value: "", event: { what: "added", memberIds: ["a", "u1"] } }),
  ];
  const { log } = await open();
  expect(await within(log).findByRole("link", { name: /Lease/ })).toHaveAttribute("href", "/tasks/t");
  expect(within(log).getByText("No longer exists")).toBeVisible();
  expect(within(log).getByText("This message was deleted.")).toBeVisible();
  expect(within(log).getByText("José Núñez added Ana López and you")).toBeVisible();
});

it("searches the conversation, and opens a found message that is not loaded yet", async () => {
  const far = message("0far", { chatId: "g", value: "The banner is red", createdAt: "2024-01-01T09:00:00Z" });
  server.on("GET /api/apps/chat/search", () => ({ items: [{ message: far, chat: { id: "g", name: "Spring fair" } }] }));
  server.on("GET /api/apps/chat/messages", () => ({ items: [far], more: true, newer: true }));
  const { log } = await open();
  await userEvent.click(screen.getByRole("button", { name: "Conversation actions" }));
  await userEvent.click(await screen.findByRole("menuitem", { name: "Search in this conversation" }));
  await userEvent.type(await screen.findByRole("searchbox"), "banner");
  await userEvent.click(await screen.findByRole("button", { name: /The banner is red/ }));
  await waitFor(() => expect(within(log).getByText("The banner is red").closest("li")).toHaveFocus());
  expect(server.sent("GET /api/apps/chat/messages")[0]?.query.get("around")).toBe("0far");
  // From there, a button leads back to the latest message.
  server.on("GET /api/apps/chat/messages", () => ({ items: messages, more: false, newer: false }));
  await userEvent.click(screen.getByRole("button", { name: "Jump to latest" }));
  expect(await within(log).findByText("Mine")).toBeVisible();
});
