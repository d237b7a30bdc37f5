// The kind of fault: what was typed and sent without a connection is lost with the page, or is sent and still stands in its
// field. A comment vanished from its field without a row, and a visit was lost with the tab.
import { QueryClient } from "@tanstack/react-query";
import { act, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, test } from "vitest";
import { accept, useSession } from "@/api/session";
import { hasUnsentWork, removeUnsentWork } from "@/lib/drafts";
import { useToasts } from "@/lib/toast";
import { setTimeZone } from "@/lib/zone";
import { mostEntries, startEntries, useEntries } from "@/records/outbox";
import { mira, signedIn } from "@/test/people";
import { renderApp } from "@/test/render";
import { Answer, standInServer } from "@/test/server";
import { LogButton } from "./log-button";
import { LogDock } from "./log-dock";
import { Timeline } from "./timeline";

const server = standInServer();
const at = "2026-11-01T10:00:00Z";
let isReachable: boolean;
/** What the server has, by the keys under which it was sent. */
let kept: Map<string, object>;

/** As when the page is opened again in another tab: nothing is known but what this browser keeps. */
function reopen() {
  act(() => useSession.setState({ state: "guest", user: undefined }));
  sessionStorage.clear();
  accept({ ...signedIn(), user: { ...mira, permissions: ["comments.write", "tasks.write"] } });
}

const common = { version: 1, createdAt: at, createdBy: mira.id, attachments: [], mentions: [], references: [], reactions: [] };
const calls = { comment: "POST /api/customers/c1/comments", activity: "POST /api/activities", task: "POST /api/tasks" };

beforeEach(() => {
  setTimeZone("UTC");
  localStorage.clear();
  useToasts.setState({ toasts: [] });
  reopen();
  isReachable = false;
  kept = new Map();
  server.on("GET /api/team", () => ({ items: [], total: 0 }));
  server.on("GET /api/team/former", () => ({ items: [] }));
  server.on("GET /api/customers/c1", () => ({ id: "c1", version: 1, name: "Ana López" }));
  server.on("GET /api/customers/c1/timeline", () => ({ items: [] }));
  server.on("GET /api/tasks/t1/timeline", () => ({ items: [] }));
  for (const call of [...Object.values(calls), "POST /api/tasks/t1/comments"]) {
    server.on(call, ({ body, headers }) => {
      if (!isReachable) throw new TypeError("Failed to fetch");
      const key = headers.get("Idempotency-Key") ?? "";
      if (!kept.has(key)) kept.set(key, { id: `r${kept.size}`, at, ...common, links: [], ...(body as object) });
      return new Answer(201, kept.get(key));
    });
  }
});

const show = () => renderApp(<Timeline kind="customer" id="c1" />);
const field = () => screen.findByRole("textbox", { name: "Write a comment" });
const press = async (name: string) => userEvent.click(await screen.findByRole("button", { name }));
const waiting = () => screen.queryByRole("list", { name: "Not saved yet" });
const waits = (text: RegExp) => waitFor(() => expect(waiting()).toHaveTextContent(text));
const online = () => {
  isReachable = true;
  act(() => void dispatchEvent(new Event("online")));
};

const additions: { name: string; call: string; shown: RegExp; body: object; type: () => Promise<void> }[] = [
  {
    name: "a comment",
    call: calls.comment,
    shown: /Called them.*Waits for a connection/,
    body: { value: "Called them" },
    type: async () => userEvent.type(await field(), "Called them{Enter}"),
  },
  {
    name: "a comment in Spanish of several lines",
    call: calls.comment,
    shown: /Llamé a Íñigo.*Waits for a connection/,
    body: { value: "Llamé a Íñigo\nVuelve mañana" },
    type: async () => userEvent.type(await field(), "Llamé a Íñigo{Shift>}{Enter}{/Shift}Vuelve mañana{Enter}"),
  },
  {
    name: "a visit",
    call: calls.activity,
    shown: /Visit · Went well · Long talk.*Waits for a connection/,
    body: { type: "visit", text: "Long talk", outcome: "Went well" },
    type: async () => {
      await press("Visit");
      await userEvent.type(screen.getByRole("textbox", { name: "How it went" }), "Long talk");
      await press("Went well");
      await press("Log visit");
    },
  },
  {
    name: "a note",
    call: calls.activity,
    shown: /Note · Moves in May.*Waits for a connection/,
    body: { type: "note", text: "Moves in May" },
    type: async () => {
      await press("Note");
      await userEvent.type(screen.getByRole("textbox", { name: /^Note/ }), "Moves in May");
      await press("Add note");
    },
  },
  {
    name: "a call without a text",
    call: calls.activity,
    shown: /Call.*Waits for a connection/,
    body: { type: "call", text: null },
    type: async () => {
      await press("Call");
      await press("Log call");
    },
  },
  {
    name: "a task of the record",
    call: calls.task,
    shown: /Send the offer.*Waits for a connection/,
    body: { title: "Send the offer", customerId: "c1" },
    type: async () => {
      await press("Task");
      await userEvent.type(screen.getByRole("textbox", { name: /^What to do next/ }), "Send the offer");
      await press("Add task");
    },
  },
];

for (const { name, call, shown, body, type } of additions) {
  test(`${name} without a connection waits visibly, survives the tab, is saved once, and leaves its field`, async () => {
    const page = show();
    await type();
    await waits(shown);
    expect(await field()).toHaveValue("");
    page.unmount();
    reopen();
    const again = show();
    await waits(shown);
    expect(await field()).toHaveValue("");
    online();
    await waitFor(() => expect(waiting()).toBeNull());
    expect([...kept.values()]).toEqual([expect.objectContaining(body)]);
    expect(new Set(server.sent(call).map(({ headers }) => headers.get("Idempotency-Key"))).size).toBe(1);
    again.unmount();
    // Reading the page again sends nothing more.
    reopen();
    startEntries(new QueryClient(), mira.id);
    expect(useEntries.getState().entries).toEqual([]);
    expect(hasUnsentWork(mira.id)).toBe(false);
  });
}

test("what waits is shown on its record only", async () => {
  const page = show();
  await userEvent.type(await field(), "Called them{Enter}");
  await waits(/Called them/);
  page.unmount();
  renderApp(<Timeline kind="task" id="t1" />);
  expect(await field()).toHaveValue("");
  expect(waiting()).toBeNull();
  await userEvent.type(await field(), "On the task{Enter}");
  await waits(/^On the task/);
});

test("a comment whose answer was lost is sent again under the same key, and newer text stays", async () => {
  server.on(calls.comment, ({ body, headers }) => {
    kept.set(headers.get("Idempotency-Key") ?? "", { id: "k1", ...common, ...(body as object) });
    if (!isReachable) throw new TypeError("Failed to fetch");
    return new Answer(201, [...kept.values()][0]);
  });
  show();
  await userEvent.type(await field(), "First{Enter}");
  await waits(/First.*Waits/);
  await userEvent.type(await field(), "Second, half");
  online();
  await waitFor(() => expect(waiting()).toBeNull());
  expect(await field()).toHaveValue("Second, half");
  expect(kept.size).toBe(1);
  expect(await screen.findByText("First", { selector: "p" })).toBeVisible();
  await userEvent.clear(await field());
});

test("what is refused keeps its row with the reason where newer text has the field", async () => {
  let answer: (value: Answer) => void = () => undefined;
  server.on(
    calls.comment,
    () =>
      new Promise((resolve) => {
        answer = resolve;
      }),
  );
  show();
  await userEvent.type(await field(), "First{Enter}");
  await userEvent.type(await field(), "Second");
  answer(new Answer(422, { error: { code: "invalid", message: "Too long.", fields: {} } }));
  await waits(/First.*Too long\./);
  expect(await field()).toHaveValue("Second");
  await press("Remove First");
  expect(waiting()).toBeNull();
  await userEvent.clear(await field());
});

test("a call logged from a list waits, and this is said", async () => {
  renderApp(
    <>
      <LogButton record={{ kind: "customer", id: "c1", name: "Ana López" }} />
      <LogDock />
    </>,
  );
  await press("Log activity with Ana López");
  await press("Log call");
  await waitFor(() => expect(useToasts.getState().toasts[0]?.text).toBe("Waits for a connection"));
  expect(screen.queryByRole("dialog")).toBeNull();
  expect(useEntries.getState().entries).toHaveLength(1);
});

test("comments belong to their member and go with a sign-out, and no more than 200 entries wait", async () => {
  const page = show();
  await userEvent.type(await field(), "Called them{Enter}");
  await waits(/Called them/);
  page.unmount();
  reopen();
  startEntries(new QueryClient(), "u2");
  expect(useEntries.getState().entries).toEqual([]);
  expect(hasUnsentWork(mira.id)).toBe(true);
  removeUnsentWork(mira.id);
  reopen();
  for (let number = 0; number < mostEntries; number += 1) {
    const id = `e${number}`;
    const entry = { id, kind: "task", input: { title: id }, createdAt: at, state: "waiting" };
    localStorage.setItem(`atrium.entries.${mira.id}.${id}`, JSON.stringify(entry));
  }
  show();
  await userEvent.type(await field(), "One more{Enter}");
  expect(await field()).toHaveValue("One more");
  expect(useEntries.getState().entries).toHaveLength(mostEntries);
});
