import { fireEvent, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, test, vi } from "vitest";
import type { Task } from "@/api/schema";
import { accept } from "@/api/session";
import { DateField } from "@/components/date-field";
import { NumberField } from "@/components/number-field";
import { RecordSelect } from "@/components/record-select";
import { TextField } from "@/components/text-field";
import { TimeField } from "@/components/time-field";
import { Toaster } from "@/components/toaster";
import { useToasts } from "@/lib/toast";
import { undo } from "@/lib/undo";
import { recordQuery } from "@/records/data";
import { signedIn } from "@/test/people";
import { renderApp } from "@/test/render";
import { Answer, standInServer } from "@/test/server";
import { FormInput } from "./form-input";
import { RecordForm } from "./record-form";
import { type FormPlace, useRecordForm } from "./use-record-form";

const server = standInServer();
const task: Task = {
  id: "t1",
  version: 3,
  createdAt: "2026-11-01T10:00:00Z",
  updatedAt: "2026-11-01T10:00:00Z",
  type: "task",
  title: "Call Ana",
  order: 2.5,
  priority: 1,
  completed: false,
  tags: [],
  subtasks: [],
  fields: {},
};
const converted = vi.fn();
const saved = vi.fn();

/** The form of a plain kind: a text, a number and a record. */
function TaskForm({ record }: Pick<FormPlace<Task>, "record">) {
  const form = useRecordForm({
    kind: "task",
    record,
    onSaved: saved,
    onCancel: () => undefined,
    toValues: (shown) => ({ title: shown?.title ?? "", order: shown?.order ?? null, customerId: shown?.customerId ?? null }),
    toInput: (values) => {
      converted(values);
      const { order, ...others } = values;
      return { ...others, ...(order !== null && { order }) };
    },
  });
  return (
    <RecordForm form={form}>
      <TextField label="Title" {...form.registerText("title", { isRequired: true })} />
      <FormInput form={form} name="order">
        {(input) => <NumberField label="Place" {...input} />}
      </FormInput>
      <FormInput form={form} name="customerId">
        {(input) => <RecordSelect kind="customer" label="Customer" {...input} />}
      </FormInput>
    </RecordForm>
  );
}
/** A form with a day and a time. */
function DayForm() {
  const form = useRecordForm({
    kind: "task",
    record: task,
    onSaved: saved,
    onCancel: () => undefined,
    toValues: (shown) => ({ dueDate: shown?.dueDate ?? null, at: "" }),
    toInput: ({ dueDate }) => ({ title: "Call Ana", dueDate }),
  });
  return (
    <RecordForm form={form}>
      <FormInput form={form} name="dueDate">
        {(input) => <DateField label="Due" {...input} />}
      </FormInput>
      <FormInput form={form} name="at">
        {(input) => <TimeField label="At" {...input} />}
      </FormInput>
    </RecordForm>
  );
}
const replace = async (name: RegExp, text: string) => {
  await userEvent.clear(screen.getByRole("textbox", { name }));
  await userEvent.type(screen.getByRole("textbox", { name }), text);
};
const save = (name = "Save") => userEvent.click(screen.getByRole("button", { name }));

beforeEach(() => {
  sessionStorage.clear();
  vi.clearAllMocks();
  accept(signedIn());
  server.on("GET /api/team", () => ({ items: [], total: 0 }));
});

test("changes the known version, and shows the answer without reading the record again", async () => {
  server.on("PATCH /api/tasks/t1", ({ body }) => ({ ...task, ...(body as object), version: 4 }));
  server.on("GET /api/tasks/t1", () => task);
  const { client } = renderApp(<TaskForm record={task} />);
  await client.fetchQuery(recordQuery("task", "t1"));
  const list = ["tasks", "list", {}];
  client.setQueryData(list, { items: [task], total: 1 });
  await replace(/^Title/, "Call Ben");
  await replace(/^Place/, "1,000.5");
  await save();
  await waitFor(() => expect(saved).toHaveBeenCalledOnce());
  const [sent] = server.sent("PATCH /api/tasks/t1");
  expect(sent?.body).toEqual({ title: "Call Ben", order: 1000.5, customerId: null });
  expect(sent?.headers.get("If-Match")).toBe('"3"');
  expect(client.getQueryData(recordQuery("task", "t1").queryKey)?.version).toBe(4);
  expect(client.getQueryState(recordQuery("task", "t1").queryKey)?.isInvalidated).toBe(false);
  expect(client.getQueryState(list)?.isInvalidated).toBe(true);
  expect(server.sent("GET /api/tasks/t1")).toHaveLength(1);
});

test("the kind gets its own values only, and the custom fields of a new record are added", async () => {
  const field = { id: "f1", version: 1, kind: "tasks", key: "room", name: "Room", type: "text", choices: [], createdAt: "", updatedAt: "" };
  server.on("GET /api/fields", () => ({ items: [field], total: 1 }));
  server.on("POST /api/tasks", ({ body }) => ({ ...task, ...(body as object) }));
  renderApp(<TaskForm record={undefined} />);
  await userEvent.type(await screen.findByLabelText("Room"), "12");
  await userEvent.type(screen.getByRole("textbox", { name: /^Title/ }), "Call Ana");
  await save("Add task");
  await waitFor(() => expect(saved).toHaveBeenCalledOnce());
  expect(converted).toHaveBeenCalledWith({ title: "Call Ana", order: null, customerId: null });
  expect(server.sent("POST /api/tasks")[0]?.body).toEqual({ title: "Call Ana", customerId: null, fields: { room: "12" } });
});

test("the server’s errors appear at the fields with their names", async () => {
  const fields = { title: "Not this title.", customerId: "That customer is gone.", priority: "No field shows this." };
  server.on("POST /api/tasks", () => new Answer(422, { error: { code: "validation", message: "Check the fields.", fields } }));
  renderApp(<TaskForm record={undefined} />);
  await userEvent.type(screen.getByRole("textbox", { name: /^Title/ }), "Call Ana");
  await save("Add task");
  expect(await screen.findByText("Not this title.")).toBeVisible();
  expect(screen.getByRole("textbox", { name: /^Title/ })).toHaveFocus();
  expect(screen.getByRole("combobox", { name: "Customer" })).toHaveAccessibleDescription("That customer is gone.");
});

test("an invalid date or time is not sent, and gets the focus", async () => {
  server.on("PATCH /api/tasks/t1", ({ body }) => ({ ...task, ...(body as object), version: 4 }));
  renderApp(<DayForm />);
  const due = screen.getByRole("textbox", { name: "Due" });
  await userEvent.type(due, "some day");
  await save();
  await waitFor(() => expect(due).toHaveFocus());
  expect(due).toHaveValue("some day");
  await replace(/^Due/, "another day{Control>}{Enter}{/Control}");
  await waitFor(() => expect(due).toBeInvalid());
  expect(due).toHaveValue("another day");
  await replace(/^Due/, "12/24/2026");
  await userEvent.type(screen.getByRole("textbox", { name: "At" }), "noon{Control>}{Enter}{/Control}");
  await waitFor(() => expect(screen.getByRole("textbox", { name: "At" })).toBeInvalid());
  // A valid date that is typed before the save is refused stays.
  await replace(/^Due/, "12/25/2026{Control>}{Enter}{/Control}");
  await waitFor(() => expect(screen.getByRole("textbox", { name: "At" })).toHaveFocus());
  expect(server.sent("PATCH /api/tasks/t1")).toHaveLength(0);
  await replace(/^At/, "12:00");
  await save();
  await waitFor(() => expect(server.sent("PATCH /api/tasks/t1")[0]?.body).toEqual({ title: "Call Ana", dueDate: "2026-12-25" }));
});

test("an empty title and an invalid number are not sent, and get the focus", async () => {
  server.on("PATCH /api/tasks/t1", ({ body }) => ({ ...task, ...(body as object), version: 4 }));
  renderApp(<TaskForm record={task} />);
  await replace(/^Place/, "first");
  await save();
  expect(await screen.findByText("Enter a number.")).toBeVisible();
  await waitFor(() => expect(screen.getByRole("textbox", { name: /^Place/ })).toHaveFocus());
  await userEvent.clear(screen.getByRole("textbox", { name: /^Title/ }));
  await save();
  expect(await screen.findByText("This can’t be empty.")).toBeVisible();
  expect(server.sent("PATCH /api/tasks/t1")).toHaveLength(0);
  await replace(/^Title/, "Call Ana");
  await replace(/^Place/, "2.5{Control>}{Enter}{/Control}");
  await waitFor(() => expect(server.sent("PATCH /api/tasks/t1")[0]?.body).toEqual({ title: "Call Ana", order: 2.5, customerId: null }));
});

// The kind of fault: the creation of a record that Ctrl+Z passes over.
const pressUndo = () => fireEvent.keyDown(document.body, { key: "z", ctrlKey: true });
const toasts = () => useToasts.getState().toasts.map(({ text }) => text);

test.each([
  ["as it was created", {}, "Undone: “Call Ana” is in the trash."],
  ["changed by someone", { notes: "Monday" }, "This was changed since, so it can’t be undone."],
])("Ctrl+Z moves a new record to the bin only %s", async (_how, change, text) => {
  undo.clear();
  useToasts.setState({ toasts: [] });
  server.on("POST /api/tasks", () => task);
  server.on("GET /api/tasks/t1", () => ({ ...task, ...change, version: 4 }));
  server.on("DELETE /api/tasks/t1", () => new Answer(204));
  renderApp(<TaskForm record={undefined} />);
  renderApp(<Toaster />);
  await userEvent.type(screen.getByRole("textbox", { name: /^Title/ }), "Call Ana");
  await save("Add task");
  await waitFor(() => expect(saved).toHaveBeenCalledOnce());
  pressUndo();
  await waitFor(() => expect(toasts()).toContain(text));
  expect(server.sent("DELETE /api/tasks/t1")).toHaveLength(Object.keys(change).length === 0 ? 1 : 0);
});
