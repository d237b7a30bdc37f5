// What is typed is not lost without a connection: a task that was typed without a signal vanished from the field, and no
// row appeared (F-U1).
import { QueryClient } from "@tanstack/react-query";
import { act, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, test } from "vitest";
import type { NewTask, Task } from "@/api/schema";
import { accept, useSession } from "@/api/session";
import { hasUnsentWork, removeUnsentWork } from "@/lib/drafts";
import { deliverEntries, mostEntries, startEntries, useEntries } from "@/records/outbox";
import { mira, signedIn } from "@/test/people";
import { renderApp } from "@/test/render";
import { Answer, standInServer } from "@/test/server";
import { makeTask } from "@/test/task";
import { TasksPage } from "./tasks-page";

const server = standInServer();
let isReachable: boolean;
let kept: Map<string, Task>;
const posts = () => server.sent("POST /api/tasks").map(({ body, headers }) => [(body as NewTask).title, headers.get("Idempotency-Key")]);

/** As when the page is opened again: nothing is known but what this browser keeps. */
function reopen() {
  act(() => useSession.setState({ state: "guest", user: undefined }));
  accept({ ...signedIn(), user: { ...mira, permissions: ["tasks.write"] } });
}

beforeEach(() => {
  localStorage.clear();
  sessionStorage.clear();
  reopen();
  isReachable = false;
  kept = new Map();
  server.on("GET /api/team", () => ({ items: [], total: 0 }));
  server.on("GET /api/tasks", () => ({ items: [...kept.values()], total: kept.size }));
  server.on("POST /api/tasks", ({ body, headers }) => {
    if (!isReachable) throw new TypeError("Failed to fetch");
    const key = headers.get("Idempotency-Key") ?? "";
    const task = kept.get(key) ?? makeTask(`t${kept.size}`, body as Partial<Task>);
    kept.set(key, task);
    return new Answer(201, task);
  });
});

const type = async (title: string) => userEvent.type(await screen.findByRole("textbox", { name: "Add task" }), `${title}{Enter}`);
const waiting = () => screen.queryByRole("list", { name: "Not saved yet" });

for (const path of ["/tasks", "/tasks?layout=table"]) {
  test(`tasks typed without a connection wait visibly at ${path}, and are saved once, in their order`, async () => {
    renderApp(<TasksPage />, { path });
    await type("Call Ana");
    await type("Call Ben");
    expect(screen.getByRole("textbox", { name: "Add task" })).toHaveValue("");
    await waitFor(() => expect(waiting()).toHaveTextContent(/Call Ana.*Waits for a connection.*Call Ben.*Waits for a connection/));
    isReachable = true;
    act(() => void dispatchEvent(new Event("online")));
    await waitFor(() => expect(waiting()).toBeNull());
    expect([...kept.values()].map(({ title }) => title)).toEqual(["Call Ana", "Call Ben"]);
    expect(await screen.findByText("Call Ben")).toBeVisible();
  });
}

test("a task whose answer was lost is sent again under the same key", async () => {
  server.on("POST /api/tasks", ({ body, headers }) => {
    kept.set(headers.get("Idempotency-Key") ?? "", makeTask("t1", body as Partial<Task>));
    if (!isReachable) throw new TypeError("Failed to fetch");
    return new Answer(201, [...kept.values()][0]);
  });
  renderApp(<TasksPage />, { path: "/tasks" });
  await type("Call Ana");
  await waitFor(() => expect(waiting()).toHaveTextContent("Waits for a connection"));
  isReachable = true;
  await userEvent.click(screen.getByRole("button", { name: "Try again" }));
  await waitFor(() => expect(waiting()).toBeNull());
  expect(kept.size).toBe(1);
  expect(new Set(posts().map(([, key]) => key)).size).toBe(1);
});

test("waiting tasks survive a reload, belong to their member, and go with a sign-out", async () => {
  const page = renderApp(<TasksPage />, { path: "/tasks" });
  await type("Call Ana");
  await waitFor(() => expect(waiting()).toHaveTextContent("Waits for a connection"));
  page.unmount();
  reopen();
  expect(useEntries.getState().entries).toEqual([]);
  startEntries(new QueryClient(), "u2");
  expect(useEntries.getState().entries).toEqual([]);
  reopen();
  renderApp(<TasksPage />, { path: "/tasks" });
  await waitFor(() => expect(waiting()).toHaveTextContent("Call Ana"));
  expect(hasUnsentWork(mira.id)).toBe(true);
  removeUnsentWork(mira.id);
  reopen();
  startEntries(new QueryClient(), mira.id);
  expect(useEntries.getState().entries).toEqual([]);
});

test("a refused task returns to the field while its form is open, and stays as a row with the reason after a reload", async () => {
  const page = renderApp(<TasksPage />, { path: "/tasks" });
  isReachable = true;
  server.on("POST /api/tasks", () => new Answer(422, { error: { code: "invalid", message: "Too long.", fields: {} } }));
  await type("Call Ana");
  await waitFor(() => expect(screen.getByRole("textbox", { name: "Add task" })).toHaveValue("Call Ana"));
  expect(waiting()).toBeNull();
  server.on("POST /api/tasks", () => {
    throw new TypeError("Failed to fetch");
  });
  await userEvent.type(screen.getByRole("textbox", { name: "Add task" }), "{Enter}");
  await waitFor(() => expect(waiting()).toHaveTextContent("Waits for a connection"));
  page.unmount();
  server.on("POST /api/tasks", () => new Answer(422, { error: { code: "invalid", message: "Too long.", fields: {} } }));
  reopen();
  renderApp(<TasksPage />, { path: "/tasks" });
  await waitFor(() => expect(waiting()).toHaveTextContent("Too long."));
  await userEvent.click(screen.getByRole("button", { name: "Remove Call Ana" }));
  expect(waiting()).toBeNull();
  expect(hasUnsentWork(mira.id)).toBe(false);
});

test("no more than 200 tasks wait; the next one stays in the field", async () => {
  const entry = (number: number) => ({
    id: `e${number}`,
    kind: "task",
    input: { title: `Task ${number}` },
    createdAt: "2026-11-01",
    state: "waiting",
  });
  for (let number = 0; number < mostEntries; number += 1) {
    localStorage.setItem(`atrium.entries.${mira.id}.e${number}`, JSON.stringify(entry(number)));
  }
  reopen();
  renderApp(<TasksPage />, { path: "/tasks" });
  await type("Call Ana");
  expect(screen.getByRole("textbox", { name: "Add task" })).toHaveValue("Call Ana");
  expect(useEntries.getState().entries).toHaveLength(mostEntries);
  await act(deliverEntries);
});

// The kind of fault: a title that is cut after one line on phones, where nothing shows the rest.
test("a title that waits has two lines on phones", async () => {
  renderApp(<TasksPage />, { path: "/tasks" });
  await userEvent.type(await screen.findByRole("textbox", { name: "Add task" }), "Call Ana{Enter}");
  expect(await screen.findByText("Call Ana")).toHaveClass("max-sm:line-clamp-2", "max-sm:whitespace-normal");
});

// The kind of fault: a change that waits for a connection is lost with the tab, though the screen shows it as made.
for (const path of ["/tasks", "/tasks?layout=table"]) {
  for (const completed of [true, false]) {
    test(`a task that is ${completed ? "completed" : "opened again"} without a connection at ${path} survives the tab; the last state wins`, async () => {
      kept.set("t1", makeTask("t1", { title: "Call Ana", completed: !completed }));
      const sentStates: unknown[] = [];
      server.on("PATCH /api/tasks/t1", ({ body }) => {
        if (!isReachable) throw new TypeError("Failed to fetch");
        sentStates.push(body);
        kept.set("t1", makeTask("t1", { title: "Call Ana", ...(body as Partial<Task>) }));
        return kept.get("t1");
      });
      const address = completed ? path : `${path}${path.includes("?") ? "&" : "?"}filter=completed:eq:true`;
      const page = renderApp(<TasksPage />, { path: address });
      const box = () => screen.findByRole("checkbox", { name: "Completed: Call Ana" });
      const row = new RegExp(`^Call Ana · ${completed ? "Completed" : "Open"}.*Waits for a connection`);
      await userEvent.click(await box());
      await waitFor(() => expect(waiting()).toHaveTextContent(row));
      await userEvent.click(await box());
      await waitFor(() => expect(waiting()).not.toHaveTextContent(row));
      await userEvent.click(await box());
      await waitFor(() => expect(waiting()).toHaveTextContent(row));
      expect(useEntries.getState().entries).toHaveLength(1);
      page.unmount();
      reopen();
      renderApp(<TasksPage />, { path: address });
      await waitFor(() => expect(waiting()).toHaveTextContent(row));
      isReachable = true;
      act(() => void dispatchEvent(new Event("online")));
      await waitFor(() => expect(waiting()).toBeNull());
      expect(sentStates).toEqual([{ completed }]);
      expect(hasUnsentWork(mira.id)).toBe(false);
    });
  }
}
