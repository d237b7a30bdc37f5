import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Notice } from "@/api/schema";
import { Toaster } from "@/components/toaster";
import { keepFocus } from "@/lib/keep-focus";
import { useToasts } from "@/lib/toast";
import { renderApp } from "@/test/render";
import { Answer, standInServer } from "@/test/server";
import { setWidth } from "@/test/width";
import { NoticeTool } from "./notice-tool";

const server = standInServer();
let list: Notice[];

const notice = (id: string, read: boolean, more: Partial<Notice> = {}): Notice => ({
  id,
  read,
  seen: false,
  title: `Title ${id}`,
  description: `Text <b>${id}</b>`,
  time: "2026-11-21T14:05:00",
  icon: "bell",
  useRouter: true,
  ...more,
});

let removed: Notice[];
let stop: () => void;

afterEach(() => stop());
beforeEach(() => {
  stop = keepFocus();
  useToasts.setState({ toasts: [] });
  removed = [];
  list = [
    notice("1", false, { link: "/tasks" }),
    notice("2", true, { link: "https://example.com/", useRouter: false }),
    notice("3", false, { link: "javascript:alert(1)", useRouter: false }),
  ];
  server.on("GET /api/common/messages", () => list);
  server.on("GET /api/common/messages/unread", () => ({ unread: list.filter(({ read }) => !read).length }));
  server.on("POST /api/common/messages/seen", () => true);
  server.on("POST /api/common/messages/toggle-read-status", ({ body }) => {
    const { message } = body as { message: Notice };
    list = list.map((one) => (one.id === message.id ? { ...one, read: message.read } : one));
    return message;
  });
  server.on("DELETE /api/common/messages", ({ query }) => {
    removed.push(...list.filter(({ id }) => id === query.get("id")));
    list = list.filter(({ id }) => id !== query.get("id"));
    return {};
  });
  server.on("POST /api/common/messages/restore", ({ body }) => {
    const { ids } = body as { ids: string[] };
    list = [...list, ...removed.filter(({ id }) => ids.includes(id))].sort((a, b) => a.id.localeCompare(b.id));
    removed = removed.filter(({ id }) => !ids.includes(id));
    return [];
  });
  server.on("GET /api/common/messages/mark-all-as-read", () => {
    list = list.map((one) => ({ ...one, read: true }));
    return true;
  });
});

async function open() {
  const app = renderApp(
    <>
      <NoticeTool kind="messages" />
      <Toaster />
    </>,
  );
  const button = screen.getByRole("button", { name: "Messages" });
  await userEvent.click(button);
  const dialog = await screen.findByRole("dialog", { name: "Messages" });
  return { ...app, button, dialog, items: async () => within(dialog).findAllByRole("listitem") };
}

describe("a panel of messages", () => {
  it("shows the items with the time as specified", async () => {
    const { items } = await open();
    const [first] = await items();
    expect(await items()).toHaveLength(3);
    expect(first).toHaveTextContent("Nov 21, 2:05 PM");
    expect(first?.querySelector("b")).toHaveTextContent("1");
    expect(server.sent("POST /api/common/messages/seen")).not.toHaveLength(0);
  });

  it("describes an item's buttons by its title, and puts Close first only on phones", async () => {
    await setWidth(390);
    const { dialog, items } = await open();
    const [first] = await items();
    const text = within(first as HTMLElement)
      .getByRole("link")
      .getAttribute("aria-labelledby");
    expect(within(first as HTMLElement).getByRole("button", { name: "Remove" })).toHaveAttribute("aria-describedby", text);
    expect(within(dialog).getAllByRole("button")[0]).toHaveAccessibleName("Close");
    await setWidth(1024);
    expect(within(dialog).getAllByRole("button")[0]).not.toHaveAccessibleName("Close");
  });

  it("follows router links, shows plain links, and omits dangerous ones", async () => {
    const { items, router } = await open();
    const [one, two, three] = await items();
    expect(within(two as HTMLElement).getByRole("link")).toHaveAttribute("href", "https://example.com/");
    expect(within(three as HTMLElement).queryByRole("link")).toBeNull();
    await userEvent.click(within(one as HTMLElement).getByRole("link"));
    expect(router.state.location.pathname).toBe("/tasks");
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
    expect(server.sent("POST /api/common/messages/toggle-read-status")).toHaveLength(1);
  });

  it("counts unread items, toggles the read state of one, and removes it", async () => {
    const { button, items } = await open();
    expect(button).toHaveAccessibleDescription("2 unread messages");
    let [first] = await items();
    await userEvent.click(within(first as HTMLElement).getByRole("button", { name: "Mark as read" }));
    await waitFor(() => expect(button).toHaveAccessibleDescription("1 unread message"));
    [first] = await items();
    await userEvent.click(within(first as HTMLElement).getByRole("button", { name: "Mark as unread" }));
    await waitFor(() => expect(button).toHaveAccessibleDescription("2 unread messages"));
    expect(
      server.sent("POST /api/common/messages/toggle-read-status").map(({ body }) => (body as { message: Notice }).message.read),
    ).toEqual([true, false]);
    [first] = await items();
    await userEvent.click(within(first as HTMLElement).getByRole("button", { name: "Remove" }));
    await waitFor(async () => expect(await items()).toHaveLength(2));
    expect(server.sent("DELETE /api/common/messages")[0]?.query.get("id")).toBe("1");
  });

  it("undoes one or several removals by the toast or Ctrl+Z, and keeps the focus", async () => {
    const { dialog, items } = await open();
    const remove = async (at: number) =>
      userEvent.click(within((await items())[at] as HTMLElement).getByRole("button", { name: "Remove" }));
    await items();
    await remove(0);
    await waitFor(async () => expect(await items()).toHaveLength(2));
    expect(within((await items())[0] as HTMLElement).getByRole("button", { name: "Remove" })).toHaveFocus();
    expect(await screen.findByText("1 message removed")).toBeVisible();
    await remove(1);
    expect(await screen.findByText("2 messages removed")).toBeVisible();
    expect(screen.queryByText("1 message removed")).toBeNull();
    await userEvent.click(screen.getByRole("button", { name: "Undo" }));
    await waitFor(async () => expect(await items()).toHaveLength(3));
    expect(server.sent("POST /api/common/messages/restore")[0]?.body).toEqual({ ids: ["1", "3"] });
    expect(dialog).toBeVisible();

    for (const left of [2, 1]) {
      await remove(0);
      await waitFor(async () => expect(await items()).toHaveLength(left));
    }
    await remove(0);
    expect(await within(dialog).findByText("No messages")).toBeVisible();
    expect(dialog.contains(document.activeElement)).toBe(true);
    await screen.findByText("3 messages removed");
    await userEvent.keyboard("{Control>}z{/Control}");
    await waitFor(async () => expect(await items()).toHaveLength(3));
  });

  it("links in the text open their own address, and the item has its own link", async () => {
    list = [notice("1", false, { link: "/tasks", description: 'See <a href="/customers">them</a>.' })];
    const { items, router } = await open();
    const [item] = (await items()) as [HTMLElement];
    expect(within(item).getByRole("link", { name: /Unread/ })).toHaveAttribute("href", "/tasks");
    expect(item.querySelector("a a")).toBeNull();
    await userEvent.click(within(item).getByRole("link", { name: "them" }));
    expect(router.state.location.pathname).toBe("/customers");
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  });

  it("links to the page of all messages", async () => {
    const { dialog, router } = await open();
    await userEvent.click(within(dialog).getByRole("link", { name: "See all messages" }));
    expect(router.state.location.pathname).toBe("/messages");
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  });

  it("marks all as read, and disables the button when nothing is unread", async () => {
    const { button, dialog, items } = await open();
    await items();
    const all = within(dialog).getByRole("button", { name: "Mark all as read" });
    expect(all).toBeEnabled();
    await userEvent.click(all);
    await waitFor(() => expect(all).toBeDisabled());
    expect(dialog.contains(document.activeElement)).toBe(true);
    expect(button).toHaveAccessibleDescription("");
    expect(within(dialog).queryByRole("button", { name: "Mark as read" })).toBeNull();
  });

  it("says when it is empty", async () => {
    list = [];
    const { dialog } = await open();
    expect(await within(dialog).findByText("No messages")).toBeVisible();
    expect(within(dialog).getByText("When you have messages, they will appear here.")).toBeVisible();
  });

  it("restores an item when the server rejects its removal", async () => {
    server.on("DELETE /api/common/messages", () => new Answer(503, { error: { code: "busy", message: "Busy" } }));
    const { items } = await open();
    const [first] = await items();
    await userEvent.click(within(first as HTMLElement).getByRole("button", { name: "Remove" }));
    await waitFor(async () => expect(await items()).toHaveLength(3));
  });

  it("says what went wrong and tries again", async () => {
    server.on(
      "GET /api/common/messages",
      () => new Answer(500, { error: { code: "internal", message: "Something went wrong on our side." } }),
    );
    const { dialog, items } = await open();
    expect(await within(dialog).findByText("Something went wrong on our side.")).toBeVisible();
    server.on("GET /api/common/messages", () => list);
    await userEvent.click(within(dialog).getByRole("button", { name: "Try again" }));
    expect(await items()).toHaveLength(3);
  });

  it("closes on Escape, and returns the focus to its button", async () => {
    const { button } = await open();
    await userEvent.keyboard("{Escape}");
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
    await waitFor(() => expect(button).toHaveFocus());
  });
});
