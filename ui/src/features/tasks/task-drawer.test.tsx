import { act, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { Route, Routes } from "react-router";
import { expect, test } from "vitest";
import type { Task } from "@/api/schema";
import { accept } from "@/api/session";
import { useToasts } from "@/lib/toast";
import { mira, signedIn } from "@/test/people";
import { renderApp } from "@/test/render";
import { standInServer } from "@/test/server";
import { makeTask } from "@/test/task";
import { TaskDrawer } from "./task-drawer";

const server = standInServer();

const show = () =>
  renderApp(
    <Routes>
      <Route path="tasks/:id" element={<TaskDrawer />} />
    </Routes>,
    { path: "/tasks/a" },
  );

/** Lets the server have a task, which it changes as asked; `empty` are the paths of lists without items. Returns what reads the task. */
function keep(first: Task, empty: string[] = []) {
  for (const path of ["team", "tasks", "tasks/a/files", "tasks/a/timeline", "tasks/a/links", ...empty])
    server.on(`GET /api/${path}`, () => ({ items: [], total: 0 }));
  let task = first;
  server.on("GET /api/tasks/a", () => task);
  server.on("PATCH /api/tasks/a", ({ body }) => {
    task = { ...task, ...(body as Partial<Task>), version: task.version + 1 };
    return task;
  });
  return () => task;
}

test("Tab cycles through the drawer of a member without write permission", async () => {
  accept({ ...signedIn(), user: { ...mira, permissions: [] } });
  server.on("GET /api/team", () => ({ items: [], total: 0 }));
  server.on("GET /api/tasks", () => ({ items: [], total: 0 }));
  server.on("GET /api/customers", () => ({ items: [], total: 0 }));
  const linked = { id: "e", event: "referenced", at: "2026-11-01T10:00:00Z", changes: [] };
  const records = [{ kind: "task", recordId: "b", card: { title: "Other", link: "/tasks/b" } }];
  server.on("GET /api/tasks/a/files", () => ({ items: [], total: 0 }));
  server.on("GET /api/tasks/a/timeline", () => ({ items: [{ ...linked, records }] }));
  server.on("GET /api/tasks/a", () => ({
    id: "a",
    order: 1,
    version: 1,
    createdAt: "2026-11-01T10:00:00Z",
    updatedAt: "2026-11-01T10:00:00Z",
    type: "task",
    title: "Call Ana",
    dueDate: "2026-11-20",
    completed: false,
    priority: 1,
    tags: ["sales"],
    subtasks: [],
    fields: {},
  }));
  show();
  const title = await screen.findByRole("textbox", { name: "Title" });
  const link = await screen.findByRole("link", { name: "Other" });
  const close = screen.getByRole("button", { name: "Close" });
  close.focus();
  await userEvent.tab();
  expect(title).toHaveFocus();
  await userEvent.tab();
  expect(screen.getByRole("textbox", { name: "Notes" })).toHaveFocus();
  await userEvent.tab();
  expect(screen.getByRole("radio", { name: "All" })).toHaveFocus();
  await userEvent.tab();
  expect(link).toHaveFocus();
  await userEvent.tab();
  await waitFor(() => expect(close).toHaveFocus());
});

test("a task names its customer, organization and deal, each of which can be changed", async () => {
  const permissions = ["tasks.write", "customers.read", "organizations.read", "deals.read"];
  accept({ ...signedIn(), user: { ...mira, permissions } });
  server.on("GET /api/organizations", () => ({ items: [{ id: "o1", name: "Acme Ltd" }], total: 1 }));
  server.on("GET /api/deals/d1", () => ({ id: "d1", title: "Rugs" }));
  keep(makeTask("a", { dealId: "d1" }), ["customers"]);
  show();
  const deal = await screen.findByRole("combobox", { name: "Deal" });
  await waitFor(() => expect(deal).toHaveValue("Rugs"));
  expect(screen.getByRole("combobox", { name: "Customer" })).toHaveValue("");
  await userEvent.click(screen.getByRole("combobox", { name: "Organization" }));
  await userEvent.click(await screen.findByRole("option", { name: "Acme Ltd" }));
  await waitFor(() => expect(server.sent("PATCH /api/tasks/a")[0]?.body).toEqual({ organizationId: "o1" }));
});

// The kind of fault: "Saved" beside a change that is not saved.
test("an empty title or subtask, or no day, is not said to be saved, and the title that stays is named on leaving", async () => {
  useToasts.setState({ toasts: [] });
  accept({ ...signedIn(), user: { ...mira, permissions: ["tasks.write"] } });
  const subtasks = [{ id: "s", title: "Find the number", completed: false }];
  const task = keep(makeTask("a", { title: "Call Ana", subtasks }));
  const screenOf = show();
  const save = async () => {
    await userEvent.click(screen.getByRole("radio", { name: task().priority === 2 ? "Low" : "High" }));
    expect(await screen.findByText("Saved")).toBeVisible();
  };
  const title = await screen.findByRole("textbox", { name: "Title" });
  await save();
  await userEvent.clear(title);
  await userEvent.tab();
  expect(screen.getByText("This can’t be empty.")).toBeVisible();
  expect(screen.queryByText("Saved")).toBeNull();
  await userEvent.type(title, "Call Ana");
  await save();
  const due = screen.getByRole("textbox", { name: "Due date" });
  await userEvent.type(due, "some day");
  await userEvent.tab();
  expect(screen.queryByText("Saved")).toBeNull();
  await userEvent.clear(due);
  await userEvent.tab();
  await save();
  await userEvent.clear(screen.getByRole("textbox", { name: "Subtask" }));
  expect(screen.queryByText("Saved")).toBeNull();
  await userEvent.clear(title);
  screenOf.unmount();
  expect(useToasts.getState().toasts.map(({ text }) => text)).toEqual(["“Call Ana” kept its title, because a title can’t be empty."]);
});

// The kind of fault: what is typed in an open input is lost when the browser leaves the screen.
test("a subtask that is being typed is saved when the page is reloaded", async () => {
  accept({ ...signedIn(), user: { ...mira, permissions: ["tasks.write"] } });
  const task = keep(makeTask("a", {}));
  show();
  await userEvent.type(await screen.findByRole("textbox", { name: "Add subtask" }), "Bring samples");
  const event = new Event("beforeunload", { cancelable: true });
  act(() => void dispatchEvent(event));
  expect(event.defaultPrevented).toBe(true);
  await waitFor(() => expect(task().subtasks).toMatchObject([{ title: "Bring samples" }]));
});
