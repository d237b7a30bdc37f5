import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, test } from "vitest";
import type { Task } from "@/api/schema";
import { accept } from "@/api/session";
import { toast, useToasts } from "@/lib/toast";
import { mira, signedIn } from "@/test/people";
import { renderApp } from "@/test/render";
import { Answer, standInServer } from "@/test/server";
import { makeTask } from "@/test/task";
import { setWidth } from "@/test/width";
import { TasksPage } from "./tasks-page";

const server = standInServer();
const asked = () => server.sent("GET /api/tasks").at(-1)?.query.getAll("filter");
const press = (role: string, name: string | RegExp) => screen.findByRole(role, { name }).then((found) => userEvent.click(found));
const choose = async (field: RegExp, option: string) => {
  await press("button", field);
  await userEvent.click(await screen.findByRole("option", { name: option }));
};

beforeEach(() => {
  accept({ ...signedIn(), user: { ...mira, permissions: ["tasks.write", "tasks.delete_own"] } });
  server.on("GET /api/team", () => ({ items: [{ id: mira.id, name: "Mira Beck" }], total: 1 }));
  server.on("GET /api/team/former", () => ({ items: [] }));
  server.on("GET /api/tasks", () => ({ items: [makeTask("a", { tags: ["fair"] }), makeTask("b", { priority: 2 })], total: 2 }));
});

test("the table keeps the filters of the sections, and has open tasks only unless asked for others", async () => {
  renderApp(<TasksPage />, { path: "/tasks?filter=priority:is:2" });
  await press("link", "Show as a table");
  expect(await screen.findByRole("table", { name: "Tasks" })).toBeVisible();
  expect(asked()).toEqual(["completed:is:false", "priority:is:2"]);
  expect(screen.getByText("2 open tasks")).toBeVisible();
  expect(screen.getAllByRole("columnheader").map((head) => head.textContent)).toEqual([
    "Title",
    "Tags",
    "Assigned to",
    "Due date",
    "Priority",
    "Customer",
    "Last updated",
  ]);
  await press("checkbox", "Completed");
  // A filter that sections never pass.
  await waitFor(() => expect(asked()).toEqual(["createdAt:set", "priority:is:2"]));
  await press("radio", "Overdue");
  await waitFor(() => expect(asked()).toEqual(["dueDate:lte:today-1", "createdAt:set", "priority:is:2"]));
  await press("link", "Show by section");
  await waitFor(() => expect(screen.queryByRole("table")).toBeNull());
  expect(server.sent("GET /api/tasks").at(-1)?.query.get("due")).toBe("overdue");
});

test("a list with ten filters is a table, too, and takes no further one", async () => {
  const filters = Array.from({ length: 10 }, (_, at) => `title:contains:a${at}`);
  renderApp(<TasksPage />, { path: `/tasks?layout=table&show=overdue&${filters.map((one) => `filter=${one}`).join("&")}` });
  expect(await screen.findByRole("table", { name: "Tasks" })).toBeVisible();
  expect(asked()).toEqual(["dueDate:lte:today-1", "completed:is:false", ...filters]);
  expect(screen.getByRole("button", { name: "Filter" })).toBeDisabled();
});

test("all tasks that match are changed together, those of the choice and the filters", async () => {
  server.on("POST /api/bulk", () => new Answer(503, { error: { code: "busy", message: "Busy." } }));
  renderApp(<TasksPage />, { path: "/tasks?layout=table&show=mine&filter=tags:is:fair" });
  server.on("GET /api/tasks", () => ({ items: [makeTask("a"), makeTask("b")], total: 120, nextCursor: "c" }));
  await press("checkbox", "Select Task a");
  await press("button", "Select all 120");
  await press("button", "Change…");
  await choose(/Field$/, "Priority");
  await choose(/Choose… Priority$/, "High");
  await press("button", "Apply");
  await waitFor(() =>
    expect(server.sent("POST /api/bulk")[0]?.body).toEqual({
      kind: "tasks",
      filter: ["assigneeId:is:me", "completed:is:false", "tags:is:fair"],
      change: { priority: 2 },
    }),
  );
});

test("a task is completed from its row, and that it leaves the list is announced", async () => {
  server.on("PATCH /api/tasks/a", ({ body }) => makeTask("a", body as Partial<Task>));
  renderApp(<TasksPage />, { path: "/tasks?layout=table" });
  await press("checkbox", "Completed: Task a");
  await waitFor(() => expect(screen.getByRole("checkbox", { name: "Completed: Task a" })).toBeChecked());
  expect(server.sent("PATCH /api/tasks/a")[0]?.body).toEqual({ completed: true });
  await waitFor(() => expect(useToasts.getState().toasts.at(-1)?.text).toBe("“Task a” was completed."));
});

// The kind of fault: something is said to be undone before the server has it.
test("a completion is said to be undone once the server has it, and not when it refuses", async () => {
  server.on("PATCH /api/tasks/a", ({ body }) => makeTask("a", body as Partial<Task>));
  renderApp(<TasksPage />, { path: "/tasks?layout=table" });
  const texts = () => useToasts.getState().toasts.map(({ text }) => text);
  const undo = async () => {
    const made = await waitFor(() => {
      const found = useToasts.getState().toasts.find(({ action }) => action?.label === "Undo");
      expect(found).toBeDefined();
      return found;
    });
    if (made) toast.run(made);
  };
  await press("checkbox", "Completed: Task a");
  await undo();
  expect(texts()).not.toContain("Undone: Task a");
  await waitFor(() => expect(texts()).toContain("Undone: Task a"));
  expect(server.sent("PATCH /api/tasks/a").at(-1)?.body).toEqual({ completed: false });

  useToasts.setState({ toasts: [] });
  await press("checkbox", "Completed: Task a");
  await waitFor(() => expect(texts()).toContain("“Task a” was completed."));
  server.on("PATCH /api/tasks/a", () => new Answer(403, { error: { code: "forbidden", message: "No." } }));
  await undo();
  await waitFor(() => expect(texts()).toContain("No."));
  expect(texts()).not.toContain("Undone: Task a");
});

test("Space completes the focused task", async () => {
  server.on("PATCH /api/tasks/a", ({ body }) => makeTask("a", body as Partial<Task>));
  renderApp(<TasksPage />, { path: "/tasks?layout=table" });
  (await screen.findByRole("link", { name: "Task a" })).focus();
  await userEvent.keyboard(" ");
  await waitFor(() => expect(server.sent("PATCH /api/tasks/a").at(-1)?.body).toEqual({ completed: true }));
});

test("a view with chosen columns opens as a table, and the sections are one press away", async () => {
  const view = {
    id: "v1",
    version: 1,
    createdBy: "u1",
    kind: "tasks",
    name: "By date",
    filters: [],
    sort: "dueDate",
    columns: ["dueDate"],
  };
  server.on("GET /api/views", () => ({ items: [view] }));
  renderApp(<TasksPage />, { path: "/tasks?view=v1" });
  const table = within(await screen.findByRole("table", { name: "Tasks" }));
  expect(table.getAllByRole("columnheader").map((head) => head.textContent)).toEqual(["Title", "Due date"]);
  await press("link", "Show by section");
  await waitFor(() => expect(screen.queryByRole("table")).toBeNull());
});

test("a new task comes before all others, with what the table is filtered by", async () => {
  server.on("POST /api/tasks", ({ body }) => new Answer(201, makeTask("n", body as Partial<Task>)));
  renderApp(<TasksPage />, { path: "/tasks?layout=table&filter=tags:is:fair" });
  await userEvent.type(await screen.findByRole("textbox", { name: "Add task" }), "Call Ana{Enter}");
  await waitFor(() => expect(server.sent("POST /api/tasks")[0]?.body).toEqual({ title: "Call Ana", order: 0, tags: ["fair"] }));
});

test("the tags that tasks have are offered first", async () => {
  const tag = (name: string, kind: string) => ({ tag: name, records: 3, kinds: [{ kind, records: 3 }] });
  server.on("GET /api/tags", () => ({ items: [tag("wholesale", "customers"), tag("fair", "tasks")], total: 2 }));
  renderApp(<TasksPage />, { path: "/tasks?layout=table" });
  await screen.findByRole("link", { name: "Task a" });
  await press("button", "Filter by Tags");
  const offered = await within(await screen.findByRole("dialog")).findAllByRole("checkbox");
  expect(offered.map((box) => box.closest("label")?.textContent)).toEqual(["fair", "wholesale"]);
});

test("on a phone, completed tasks are shown by the menu", async () => {
  await setWidth(390);
  renderApp(<TasksPage />, { path: "/tasks?layout=table" });
  await screen.findByRole("button", { name: "More actions" });
  expect(screen.queryByRole("checkbox", { name: "Completed" })).toBeNull();
  await press("button", "More actions");
  await press("menuitemcheckbox", "Completed");
  await waitFor(() => expect(asked()).toEqual(["createdAt:set"]));
  await setWidth(1024);
  expect(screen.getByRole("checkbox", { name: "Completed" })).toBeChecked();
});

// The kind of fault: a title that is cut after one line on phones, where nothing shows the rest.
test("a title of the table has two lines on phones", async () => {
  renderApp(<TasksPage />, { path: "/tasks?layout=table" });
  for (const link of await screen.findAllByRole("link", { name: "Task a" })) {
    expect(link).toHaveClass("max-sm:line-clamp-2", "max-sm:whitespace-normal");
  }
});
