import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, test, vi } from "vitest";
import type { KnowledgePage } from "@/api/schema";
import { accept } from "@/api/session";
import { useToasts } from "@/lib/toast";
import { noteChanger } from "@/records/editors";
import { page } from "@/test/page";
import { mira, signedIn } from "@/test/people";
import { renderApp } from "@/test/render";
import { Answer, standInServer } from "@/test/server";
import { PageEditor } from "./page-editor";

// The editor needs a layout, which this environment does not have; a plain field replaces it.
vi.mock("@/components/lazy-rich-editor", () => ({
  LazyRichEditor: ({ label, value, onChange }: { label: string; value: string; onChange: (html: string) => void }) => (
    <textarea aria-label={label} defaultValue={value} onChange={(event) => onChange(event.target.value)} />
  ),
}));

const server = standInServer();
const show = () => renderApp(<PageEditor page={page} pages={[page]} onDone={() => undefined} />);
const stale = () => new Answer(412, { error: { code: "stale_version", message: "Somebody changed this." } });

beforeEach(() => {
  sessionStorage.clear();
  accept({ ...signedIn(), user: { ...mira, permissions: ["pages.write"] } });
  server.on("GET /api/team", () => ({ items: [], total: 0 }));
});

test("saves typed text automatically with the seen version, and shows Saved", async () => {
  server.on("PATCH /api/pages/p1", (call) => ({ ...page, ...(call.body as object), version: 4 }));
  show();
  await userEvent.type(screen.getByLabelText("Text"), "!");
  expect(await screen.findByText("Saved", {}, { timeout: 3000 })).toBeVisible();
  const [call] = server.sent("PATCH /api/pages/p1");
  expect(call?.body).toEqual({ body: "<p>Old</p>!" });
  expect(call?.headers.get("If-Match")).toBe('"3"');
});

test("says when a page that was moved can be seen by everyone", async () => {
  const moved = { ...page, status: "published" as const, limited: true, parentId: "p2" };
  server.on("PATCH /api/pages/p1", () => ({ ...moved, parentId: undefined, limited: false, version: 4 }));
  renderApp(<PageEditor page={moved} pages={[{ ...page, id: "p2", title: "Board" }, moved]} onDone={() => undefined} />);
  await userEvent.click(screen.getByRole("button", { name: /Parent page/ }));
  await userEvent.click(await screen.findByRole("option", { name: "None (top level)" }));
  await waitFor(() =>
    expect(useToasts.getState().toasts.map(({ text }) => text)).toEqual(["Everyone in the company can see “Handbook” now."]),
  );
});

test("leaves it to the author whether a page is a draft", () => {
  const { unmount } = show();
  expect(screen.getByRole("radio", { name: "Published" })).toBeVisible();
  unmount();
  renderApp(<PageEditor page={{ ...page, status: "published", createdBy: "u2" }} pages={[page]} onDone={() => undefined} />);
  expect(screen.queryByRole("radio", { name: "Published" })).toBeNull();
});

const theirs = (change: Partial<KnowledgePage>) => server.on("GET /api/pages/p1", () => ({ ...page, version: 5, ...change }));
/** Refuses the first save, and accepts those over the version that was read then. */
const refuseOnce = () =>
  server.on("PATCH /api/pages/p1", ({ headers, body }) =>
    headers.get("If-Match") === '"5"' ? { ...page, title: "Their handbook", ...(body as object), version: 6 } : stale(),
  );

/** Asks for the choice between two versions, which never covers what is being typed. */
const compare = async () => userEvent.click(await screen.findByRole("button", { name: "Compare versions" }, { timeout: 5000 }));

test("a conflict does not interrupt who is typing", async () => {
  refuseOnce();
  theirs({ body: "<p>Theirs</p>" });
  show();
  await userEvent.type(screen.getByLabelText("Text"), " first");
  expect(await screen.findByText(/^Other changes were saved while you were editing/, {}, { timeout: 5000 })).toBeVisible();
  await userEvent.keyboard(" second");
  expect(screen.queryByRole("dialog")).toBeNull();
  await compare();
  await userEvent.click(await screen.findByRole("button", { name: "Save this version" }));
  await waitFor(() => expect(server.sent("PATCH /api/pages/p1").at(-1)?.body).toEqual({ body: "<p>Old</p> first second" }));
  await waitFor(() => expect(sessionStorage.length).toBe(0));
});

test("text that is not saved yet survives a reload", async () => {
  server.on("PATCH /api/pages/p1", () => new Promise(() => undefined));
  const first = show();
  await userEvent.type(screen.getByLabelText("Text"), "!");
  await userEvent.type(screen.getByLabelText("Title"), "s");
  dispatchEvent(new Event("pagehide"));
  const kept = { ...sessionStorage };
  first.unmount();
  sessionStorage.clear();
  for (const [key, value] of Object.entries(kept)) sessionStorage.setItem(key, value);
  server.on("PATCH /api/pages/p1", ({ body }) => ({ ...page, ...(body as object), version: 4 }));
  show();
  expect(screen.getByLabelText("Title")).toHaveValue("Handbooks");
  await waitFor(() => expect(server.sent("PATCH /api/pages/p1").at(-1)?.body).toEqual({ body: "<p>Old</p>!", title: "Handbooks" }));
  await waitFor(() => expect(sessionStorage.length).toBe(0));
});

test("saves at once when the tab is hidden, with a request that outlives the page", async () => {
  server.on("PATCH /api/pages/p1", ({ body }) => ({ ...page, ...(body as object), version: 4 }));
  const requests = vi.spyOn(globalThis, "fetch");
  show();
  await userEvent.type(screen.getByLabelText("Text"), "!");
  const hidden = vi.spyOn(document, "visibilityState", "get").mockReturnValue("hidden");
  document.dispatchEvent(new Event("visibilitychange"));
  await waitFor(() => expect(server.sent("PATCH /api/pages/p1")).toHaveLength(1), { timeout: 400 });
  expect(requests.mock.calls.find(([, init]) => init?.method === "PATCH")?.[1]?.keepalive).toBe(true);
  hidden.mockRestore();
});

test("a save that was completed after the page was left is not a conflict", async () => {
  server.on("PATCH /api/pages/p1", () => new Promise(() => undefined));
  const first = show();
  await userEvent.type(screen.getByLabelText("Text"), "<p><a href='/x'>x</a></p>");
  dispatchEvent(new Event("pagehide"));
  const kept = { ...sessionStorage };
  first.unmount();
  sessionStorage.clear();
  for (const [key, value] of Object.entries(kept)) sessionStorage.setItem(key, value);
  server.on("PATCH /api/pages/p1", stale);
  theirs({ body: '<p>Old</p><p><a href="/x" rel="noopener noreferrer">x</a></p>' });
  show();
  await waitFor(() => expect(sessionStorage.length).toBe(0));
  expect(await screen.findByText("Saved")).toBeVisible();
  expect(screen.queryByRole("dialog")).toBeNull();
});

test("text that could not be saved survives a reload", async () => {
  server.on("PATCH /api/pages/p1", () => new Answer(503, { error: { code: "unavailable", message: "Try again." } }));
  show();
  await userEvent.type(screen.getByLabelText("Text"), "!");
  expect(await screen.findByText("Not saved", {}, { timeout: 5000 })).toBeVisible();
  expect(JSON.stringify({ ...sessionStorage })).toContain("Old</p>!");
});

test("Ctrl+Enter saves and ends the editing; with something missing, that gets the focus", async () => {
  server.on("PATCH /api/pages/p1", ({ body }) => ({ ...page, ...(body as object), version: 4 }));
  const done = vi.fn();
  renderApp(<PageEditor page={page} pages={[page]} onDone={done} />);
  await userEvent.clear(screen.getByLabelText("Title"));
  await userEvent.type(screen.getByLabelText("Text"), "!{Control>}{Enter}{/Control}");
  expect(screen.getByLabelText("Title")).toHaveFocus();
  await userEvent.type(screen.getByLabelText("Title"), "Guide{Control>}{Enter}{/Control}");
  await waitFor(() => expect(done).toHaveBeenCalledOnce());
  expect(server.sent("PATCH /api/pages/p1").at(-1)?.body).toMatchObject({ title: "Guide" });
  expect(screen.getByLabelText("Text")).toHaveValue("<p>Old</p>!");
});

test("a draft says that only its author sees it", () => {
  show();
  expect(screen.getByRole("button", { name: /^Who can see it/ })).toHaveTextContent("You and administrators");
});

test("merges another member's change of a different field without asking", async () => {
  refuseOnce();
  theirs({ title: "Their handbook" });
  show();
  await userEvent.click(screen.getByRole("radio", { name: "Published" }));
  await waitFor(() => expect(screen.getByLabelText("Title")).toHaveValue("Their handbook"));
  expect(await screen.findByText("Saved")).toBeVisible();
  expect(screen.getByRole("radio", { name: "Published" })).toBeChecked();
  expect(server.sent("PATCH /api/pages/p1").at(-1)?.body).toEqual({ status: "published" });
});

test("shows both versions of a conflicting change, and can keep the member's own", async () => {
  refuseOnce();
  theirs({ body: "<p>Theirs</p>" });
  show();
  await userEvent.type(screen.getByLabelText("Text"), "!");
  await compare();
  const dialog = await screen.findByRole("dialog", { name: "Two versions" });
  expect(within(dialog).getByRole("radio", { name: /^Your version/ })).toBeChecked();
  expect(server.sent("PATCH /api/pages/p1")).toHaveLength(2);
  await userEvent.click(within(dialog).getByRole("button", { name: "Save this version" }));
  await waitFor(() => expect(server.sent("PATCH /api/pages/p1")).toHaveLength(3));
  const call = server.sent("PATCH /api/pages/p1")[2];
  expect([call?.body, call?.headers.get("If-Match")]).toEqual([{ body: "<p>Old</p>!" }, '"5"']);
});

test("says when a conflicting change comes from the member's other tab", async () => {
  refuseOnce();
  theirs({ body: "<p>Theirs</p>" });
  noteChanger({ kind: "page", recordId: "p1" }, signedIn().user.id);
  show();
  await userEvent.type(screen.getByLabelText("Text"), "!");
  await compare();
  const dialog = await screen.findByRole("dialog", { name: "Two versions" });
  expect(within(dialog).getByText(/^You saved changes in another tab/)).toBeVisible();
});

test("can keep the other version entirely", async () => {
  refuseOnce();
  theirs({ body: "<p>Theirs</p>", title: "Their handbook" });
  show();
  await userEvent.type(screen.getByLabelText("Text"), "!");
  await compare();
  await userEvent.click(await screen.findByRole("radio", { name: /^The other version/ }));
  await userEvent.click(screen.getByRole("button", { name: "Save this version" }));
  await waitFor(() => expect(screen.getByLabelText("Text")).toHaveValue("<p>Theirs</p>"));
  expect(screen.getByLabelText("Title")).toHaveValue("Their handbook");
  expect(server.sent("PATCH /api/pages/p1")).toHaveLength(2);
});

test("keeps text that could not be saved on leaving until the page is opened again", async () => {
  server.on("PATCH /api/pages/p1", stale);
  theirs({ body: "<p>Theirs</p>" });
  const first = show();
  await userEvent.type(screen.getByLabelText("Text"), "!");
  first.unmount();
  await waitFor(() => expect(server.sent("GET /api/pages/p1")).toHaveLength(1));
  await waitFor(() => expect(sessionStorage.length).toBe(1));
  show();
  expect(await screen.findByRole("dialog", { name: "Two versions" }, { timeout: 5000 })).toBeVisible();
  expect(screen.getByLabelText("Text")).toHaveValue("<p>Old</p>!");
  expect(screen.queryByRole("button", { name: "Keep all of the other" })).not.toBeInTheDocument();
  await userEvent.click(screen.getByRole("radio", { name: /^The other version/ }));
  await userEvent.click(screen.getByRole("button", { name: "Save this version" }));
  await waitFor(() => expect(screen.getByLabelText("Text")).toHaveValue("<p>Theirs</p>"));
});

// The kind of fault: "Saved" beside a change that is not saved.
test("an empty title is not said to be saved, and the title that stays is named on leaving", async () => {
  useToasts.setState({ toasts: [] });
  server.on("PATCH /api/pages/p1", ({ body }) => ({ ...page, ...(body as object), version: 4 }));
  const first = show();
  await userEvent.click(screen.getByRole("radio", { name: "Published" }));
  expect(await screen.findByText("Saved")).toBeVisible();
  await userEvent.clear(screen.getByLabelText("Title"));
  expect(screen.queryByText("Saved")).toBeNull();
  first.unmount();
  expect(useToasts.getState().toasts.map(({ text }) => text)).toEqual([`“${page.title}” kept its title, because a title can’t be empty.`]);
});
