import { onlineManager } from "@tanstack/react-query";
import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, test } from "vitest";
import type { Comment, TimelineEntry } from "@/api/schema";
import { accept, useSession } from "@/api/session";
import { hasUnsentWork } from "@/lib/drafts";
import { setTimeZone } from "@/lib/zone";
import { statusesQuery } from "@/records/statuses";
import { useRemove } from "@/records/use-remove";
import { mira, signedIn } from "@/test/people";
import { renderApp } from "@/test/render";
import { Answer, standInServer } from "@/test/server";
import { Files } from "./files";
import { Timeline } from "./timeline";

const server = standInServer();
const path = "/api/customers/c1";
const at = "2026-11-01T10:00:00Z";
const none = { changes: [], records: [] };

const comment = (id: string, value: string, createdBy: string = mira.id): Comment => ({
  id,
  version: 1,
  createdAt: at,
  createdBy,
  value,
  attachments: [],
  mentions: [],
  references: [],
  reactions: [],
});
const commented = (one: Comment): TimelineEntry => ({ id: one.id, event: "commented", at, by: mira.id, ...none, comment: one });

let entries: TimelineEntry[];

beforeEach(() => {
  setTimeZone("UTC");
  localStorage.clear();
  sessionStorage.clear();
  useSession.setState({ state: "guest", user: undefined });
  accept({ ...signedIn(), user: { ...mira, permissions: ["comments.write"] } });
  entries = [{ id: "c1", event: "created", at, by: mira.id, ...none }];
  const member = { id: mira.id, name: mira.name, email: mira.email, role: "member", state: "active" };
  const ben = { ...member, id: "u2", name: "Ben Osei" };
  server.on("GET /api/team", () => ({ items: [member, ben], total: 2 }));
  server.on(`GET ${path}/timeline`, () => ({ items: entries }));
});

const show = () => renderApp(<Timeline kind="customer" id="c1" />);
const field = () => screen.findByRole("textbox", { name: "Write a comment" });

test("tells changes with the values before and after, and what was linked", async () => {
  entries = [
    {
      id: "e3",
      event: "referenced",
      at,
      by: "u2",
      changes: [],
      records: [{ kind: "task", recordId: "t1", card: { title: "Call", link: "/tasks/t1" } }],
    },
    { id: "e2", event: "restored", at, ...none },
    { id: "e0", event: "removed", at, by: "u2", ...none },
    {
      id: "e1",
      event: "changed",
      at,
      by: mira.id,
      changes: [
        { field: "status", from: "lead", to: "active" },
        { field: "ownerId", to: "u2" },
        { field: "details.birthday", from: "--04-12", to: "1990-04-12" },
        { field: "notes", long: true },
        { field: "unknown", to: "x" },
      ],
      records: [],
    },
    ...entries,
  ];
  const { client } = show();
  // As the screen of the customer reads them.
  await client.fetchQuery(statusesQuery);
  expect(
    await screen.findByText((_, element) => element?.tagName === "P" && element.textContent === "Ben Osei added the task Call"),
  ).toBeVisible();
  expect(screen.getByRole("link", { name: "Call" })).toHaveAttribute("href", "/tasks/t1");
  const [linked, restored, removed, changed, created] = screen
    .getAllByRole("listitem")
    .filter((one) => one.parentElement?.tagName === "OL");
  expect(linked).toHaveTextContent("Ben Osei added the task Call");
  expect(restored).toHaveTextContent("Atrium restored it from the trash");
  expect(removed).toHaveTextContent("Ben Osei moved it to the trash");
  expect(changed).toHaveTextContent("changed Status, Owner, Birthday, and Notes");
  expect(changed).toHaveTextContent("Status: Lead → Active");
  expect(changed).toHaveTextContent("Owner: Ben Osei");
  expect(changed).toHaveTextContent("Birthday: Apr 12 → Apr 12, 1990");
  expect(created).toHaveTextContent("added this customer");
});

test("tells of a merge with what it changed, and of its undoing", async () => {
  const merged = { recordId: "c2", title: "Ana Lopes", card: null };
  const changes = [
    { field: "notes", long: true },
    { field: "status", from: "lead", to: "active" },
  ];
  const card = { title: "Ana López", link: "/customers/c2" };
  entries = [
    { id: "e7", event: "unmerged", at, by: "u2", changes: [], records: [], merged: { ...merged, card } },
    { id: "e6", event: "merged", at, by: mira.id, changes, records: [], merged },
    { id: "e5", event: "merged", at, by: "u2", ...none, merged: { ...merged, title: "[erased person]" } },
    ...entries,
  ];
  const { client } = show();
  await client.fetchQuery(statusesQuery);
  const link = await screen.findByRole("link", { name: "Ana López" });
  expect(link).toHaveAttribute("href", "/customers/c2");
  const [undone, done, erased] = screen.getAllByRole("listitem").filter((one) => one.parentElement?.tagName === "OL");
  expect(undone).toHaveTextContent("Ben Osei undid the merge of Ana López");
  expect(erased).toHaveTextContent("Ben Osei merged the duplicate deleted person into this record");
  expect(done).toHaveTextContent(`${mira.name} merged the duplicate Ana Lopes into this record`);
  const lines = within(done as HTMLElement).getAllByRole("listitem");
  expect(lines.map(({ textContent }) => textContent)).toEqual(["Notes: text changed", "Status: Lead → Active"]);
});

test("tells of links and of mentions in chats, with a way to the message", async () => {
  const card = { title: "Prices", link: "/pages/p1" };
  entries = [
    { id: "e5", event: "mentioned", at, by: "u2", ...none, mention: { chatId: "h1", messageId: "m1", text: "#Kanarium called" } },
    { id: "e4", event: "linked", at, by: mira.id, changes: [], records: [{ kind: "page", recordId: "p1", card }] },
    ...entries,
  ];
  show();
  expect(await screen.findByText("#Kanarium called")).toBeVisible();
  const [mentioned, linked] = screen.getAllByRole("listitem").filter((one) => one.parentElement?.tagName === "OL");
  expect(mentioned).toHaveTextContent("Ben Osei mentioned it in a chat");
  expect(screen.getByRole("link", { name: "a chat" })).toHaveAttribute("href", "/chat/h1?message=m1");
  expect(linked).toHaveTextContent(`${mira.name} linked Prices`);
});

test("a comment is shown as soon as it is stored, and a refused one returns to the field", async () => {
  let refused = true;
  server.on(`POST ${path}/comments`, ({ body }) => {
    if (refused) return new Answer(422, { error: { code: "invalid", message: "Too long.", fields: {} } });
    return new Answer(201, comment("k1", (body as Comment).value));
  });
  show();
  await userEvent.type(await field(), "Called them{Enter}");
  expect(await screen.findByText("Too long.")).toBeVisible();
  expect(await field()).toHaveValue("Called them");
  refused = false;
  await userEvent.type(await field(), "{Enter}");
  expect(await screen.findByText("Called them", { selector: "p" })).toBeVisible();
  expect(await field()).toHaveValue("");
  expect(server.sent(`POST ${path}/comments`)).toHaveLength(2);
});

test("the own comment can be edited and deleted, another's only by who may delete any", async () => {
  entries = [commented(comment("k2", "Theirs", "u2")), commented(comment("k1", "Mine")), ...entries];
  server.on(`PATCH ${path}/comments/k1`, ({ body }) => ({ ...comment("k1", (body as Comment).value), editedAt: at }));
  server.on(`DELETE ${path}/comments/k1`, () => new Answer(204));
  show();
  const mine = (await screen.findByText("Mine")).closest("li") as HTMLElement;
  const theirs = screen.getByText("Theirs").closest("li") as HTMLElement;
  expect(within(theirs).queryByRole("button", { name: "Comment actions" })).toBeNull();
  await userEvent.click(within(mine).getByRole("button", { name: "Comment actions" }));
  await userEvent.click(await screen.findByRole("menuitem", { name: "Edit comment" }));
  const edited = await screen.findByRole("textbox", { name: "Edit comment" });
  expect(edited).toHaveValue("Mine");
  await userEvent.type(edited, ", changed{Enter}");
  expect(await screen.findByText("Mine, changed")).toBeVisible();
  expect(await field()).toHaveValue("");
  await userEvent.click(within(mine).getByRole("button", { name: "Comment actions" }));
  await userEvent.click(await screen.findByRole("menuitem", { name: "Edit comment" }));
  expect(await screen.findByRole("textbox", { name: "Edit comment" })).toHaveValue("Mine, changed");
  await userEvent.keyboard("{Escape}");
  await userEvent.click(within(mine).getByRole("button", { name: "Comment actions" }));
  await userEvent.click(await screen.findByRole("menuitem", { name: "Delete comment" }));
  await userEvent.click(within(await screen.findByRole("alertdialog")).getByRole("button", { name: "Delete comment" }));
  await waitFor(() => expect(screen.queryByText("Mine, changed")).toBeNull());
});

// The kind of fault: what was typed into a comment that exists is lost with the page when it could not be saved.
test("an edit of a comment that could not be saved says so, and survives the page", async () => {
  entries = [commented(comment("k1", "Mine")), ...entries];
  server.on(`PATCH ${path}/comments/k1`, () => {
    throw new TypeError("Failed to fetch");
  });
  const { unmount } = show();
  await userEvent.click(await screen.findByRole("button", { name: "Comment actions" }));
  await userEvent.click(await screen.findByRole("menuitem", { name: "Edit comment" }));
  await userEvent.type(await screen.findByRole("textbox", { name: "Edit comment" }), ", changed{Enter}");
  expect(await screen.findByRole("alert")).toHaveTextContent(/^Not savedThe server can’t be reached/);
  expect(screen.getByRole("textbox", { name: "Edit comment" })).toHaveValue("Mine, changed");
  unmount();
  show();
  expect(await screen.findByText("We kept your unsaved text. Save it or discard it.")).toBeVisible();
  server.on(`PATCH ${path}/comments/k1`, ({ body }) => ({ ...comment("k1", (body as Comment).value), editedAt: at }));
  await userEvent.type(screen.getByRole("textbox", { name: "Edit comment" }), "{Enter}");
  expect(await screen.findByText("Mine, changed", { selector: "p" })).toBeVisible();
  expect(await field()).toHaveValue("");
  expect(hasUnsentWork(mira.id)).toBe(false);
});

test("an edit of a comment without a connection fails at once instead of waiting unseen", async () => {
  entries = [commented(comment("k1", "Mine")), ...entries];
  server.on(`PATCH ${path}/comments/k1`, () => {
    throw new TypeError("Failed to fetch");
  });
  show();
  await userEvent.click(await screen.findByRole("button", { name: "Comment actions" }));
  await userEvent.click(await screen.findByRole("menuitem", { name: "Edit comment" }));
  onlineManager.setOnline(false);
  await userEvent.type(await screen.findByRole("textbox", { name: "Edit comment" }), "!{Enter}");
  expect(await screen.findByRole("alert")).toHaveTextContent("Not saved");
  onlineManager.setOnline(true);
  await userEvent.type(screen.getByRole("textbox", { name: "Edit comment" }), "{Escape}");
  expect(hasUnsentWork(mira.id)).toBe(false);
  expect(await field()).toHaveValue("");
});

test("who may not comment sees no field", async () => {
  accept({ ...signedIn(), user: { ...mira, permissions: [] } });
  entries = [commented(comment("k1", "Mine")), ...entries];
  show();
  expect(await screen.findByText("Mine")).toBeVisible();
  expect(screen.queryByRole("textbox")).toBeNull();
  expect(screen.queryByRole("button", { name: "Comment actions" })).toBeNull();
});

function Drawer() {
  const remove = useRemove("customer");
  return (
    <>
      <button type="button" onClick={() => remove.mutate({ id: "c1", title: "Acme" })}>
        {remove.status}
      </button>
      <Files kind="customer" id="c1" />
      <Timeline kind="customer" id="c1" />
    </>
  );
}

test("the parts of a record that is being deleted are not loaded again", async () => {
  server.on(`GET ${path}/files`, () => ({ items: [] }));
  server.on(`DELETE ${path}`, () => new Answer(204));
  renderApp(<Drawer />);
  await field();
  const loaded = () => ["timeline", "files"].map((part) => server.sent(`GET ${path}/${part}`).length);
  expect(loaded()).toEqual([1, 1]);
  await userEvent.click(screen.getByRole("button", { name: "idle" }));
  expect(await screen.findByRole("button", { name: "success" })).toBeVisible();
  expect(loaded()).toEqual([1, 1]);
});
