import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, it, vi } from "vitest";
import type { ChatContact, Notice } from "@/api/schema";
import { accept, setUser } from "@/api/session";
import { Toaster } from "@/components/toaster";
import { mira, signedIn } from "@/test/people";
import { renderApp } from "@/test/render";
import { Answer, standInServer } from "@/test/server";
import ComposeDialog from "./compose-dialog";
import type { Compose } from "./store";

const server = standInServer();
const send = "POST /api/messages/send";
const person = (id: string, name: string): ChatContact => ({ id, name, status: "online" });

beforeEach(() => {
  sessionStorage.clear();
  accept(signedIn());
  server.on("GET /api/apps/chat/contacts", () => [person("a", "Ada Moreno"), person("b", "Ben Okafor"), person("v", "Vera Álvarez")]);
  server.on(send, ({ body }) => new Answer(201, { id: "s1", receivers: [], total: 2, read: 0, ...(body as object) }));
});

function show(open: Compose = {}) {
  const onClose = vi.fn();
  const app = renderApp(
    <>
      <ComposeDialog {...open} onClose={onClose} />
      <Toaster />
    </>,
  );
  return { ...app, onClose };
}
const choose = async (typed: string, name: string) => {
  await userEvent.type(screen.getByRole("combobox"), typed);
  await userEvent.click(await screen.findByRole("option", { name: new RegExp(name) }));
};
const message = () => screen.getByRole("textbox", { name: /^Message/, hidden: true });
const write = async (subject: string, text: string) => {
  await userEvent.type(screen.getByLabelText(/Subject/), subject);
  await userEvent.type(message(), text);
};
const press = (name: string) => userEvent.click(screen.getByRole("button", { name, hidden: true }));

it("requires a receiver, and sends a message to several at once", async () => {
  const { onClose, router } = show();
  await press("Send");
  expect(await screen.findByText("Choose at least one person.")).toBeVisible();
  expect(server.sent(send)).toHaveLength(0);
  await choose("ada", "Ada Moreno");
  await choose("alv", "Vera Álvarez");
  expect(screen.getByRole("combobox")).toHaveValue("");
  await userEvent.keyboard("{Escape}");
  await write("Keys", "Who has them?");
  await press("Send");
  await waitFor(() => expect(onClose).toHaveBeenCalled());
  expect(server.sent(send)[0]?.body).toEqual({ to: ["a", "v"], title: "Keys", text: "Who has them?" });
  expect(server.sent(send)[0]?.headers.get("Idempotency-Key")).toMatch(/^[\da-f-]{36}$/);
  await userEvent.click(screen.getByRole("button", { name: "Show", hidden: true }));
  expect(router.state.location.pathname).toBe("/messages/sent/s1");
});

it("removes the last receiver by Backspace, and each by its button", async () => {
  show({ to: ["a", "b"] });
  await screen.findByRole("button", { name: "Remove Ada Moreno" });
  await userEvent.click(screen.getByRole("button", { name: "Remove Ada Moreno" }));
  expect(screen.queryByRole("button", { name: "Remove Ada Moreno", hidden: true })).toBeNull();
  await userEvent.type(screen.getByRole("combobox"), "{Backspace}");
  expect(screen.queryByRole("button", { name: "Remove Ben Okafor", hidden: true })).toBeNull();
});

it("offers Everyone in place of single receivers with the permission", async () => {
  setUser({ ...mira, permissions: ["messages.broadcast"] });
  const { onClose } = show({ to: ["a"] });
  await screen.findByRole("button", { name: "Remove Ada Moreno" });
  await choose("every", "Everyone");
  await userEvent.keyboard("{Escape}");
  expect(screen.queryByRole("button", { name: "Remove Ada Moreno", hidden: true })).toBeNull();
  await write("Stocktaking", "On Friday.");
  await press("Send");
  await waitFor(() => expect(onClose).toHaveBeenCalled());
  expect(server.sent(send)[0]?.body).toEqual({ everyone: true, title: "Stocktaking", text: "On Friday." });
});

it("does not offer Everyone without the permission", async () => {
  show();
  await userEvent.type(screen.getByRole("combobox"), "e");
  const list = await screen.findByRole("listbox");
  expect(within(list).queryByText("Everyone")).toBeNull();
});

it("keeps typed text until discarded, and retries with the same idempotency key", async () => {
  const first = show({ to: ["a"] });
  await write("Keys", "Who has");
  first.unmount();
  const { onClose } = show({ to: ["a"] });
  expect(await screen.findByText("We kept what you had typed. Send it or discard it.")).toBeVisible();
  expect(message()).toHaveValue("Who has");
  server.on(send, () => new Answer(503, { error: { code: "busy", message: "Try again in a moment." } }));
  await press("Send");
  expect(await screen.findByText("Try again in a moment.")).toBeVisible();
  await press("Send");
  await waitFor(() => expect(server.sent(send)).toHaveLength(2));
  const [one, two] = server.sent(send).map(({ headers }) => headers.get("Idempotency-Key"));
  expect(two).toBe(one);
  await press("Discard");
  expect(onClose).toHaveBeenCalled();
  expect(sessionStorage).toHaveLength(0);
});

it("replies to the sender below their message, and shows a server error at its field", async () => {
  const answering: Notice = {
    id: "m1",
    read: true,
    seen: true,
    useRouter: true,
    time: "2026-11-21T10:00:00Z",
    title: "Ben Okafor",
    description: "<strong>Keys</strong><br>Who has them?",
    from: { memberId: "gone", name: "Ben Okafor" },
  };
  server.on(send, () => new Answer(422, { error: { code: "invalid", message: "x", fields: { "to.0": "This does not exist." } } }));
  show({ answering });
  expect(screen.getByRole("heading", { name: "Reply to Ben Okafor" })).toBeVisible();
  expect(screen.getByRole("region", { name: "Message from Ben Okafor" })).toBeVisible();
  await screen.findByRole("button", { name: "Remove Ben Okafor" });
  await userEvent.clear(screen.getByLabelText(/Subject/));
  await write("Re: Keys", "I do.");
  await press("Send");
  expect(await screen.findByText("This does not exist.")).toBeVisible();
  expect(server.sent(send)[0]?.body).toMatchObject({ to: ["gone"] });
});
