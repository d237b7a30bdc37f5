import { act, cleanup, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { Route, Routes } from "react-router";
import { beforeEach, expect, test, vi } from "vitest";
import type { Customer } from "@/api/schema";
import { accept } from "@/api/session";
import { CustomerDrawer, NewCustomerDrawer } from "@/features/customers/customer-drawer";
import { setSingleKeys } from "@/lib/keys";
import { noteRemover } from "@/records/editors";
import { openedState } from "@/records/kinds";
import { mira, signedIn } from "@/test/people";
import { renderApp } from "@/test/render";
import { Answer, standInServer } from "@/test/server";
import { setWidth } from "@/test/width";

// The editor needs a layout, which this environment does not have; a plain field replaces it.
vi.mock("@/components/lazy-rich-editor", () => ({ LazyRichEditor: ({ label }: { label: string }) => <textarea aria-label={label} /> }));

const server = standInServer();
const customer: Customer = {
  id: "c1",
  version: 3,
  createdAt: "2026-11-01T10:00:00Z",
  updatedAt: "2026-11-01T10:00:00Z",
  createdBy: mira.id,
  name: "Hollis Reed",
  status: "lead",
  tags: [],
  details: { emails: [], phoneNumbers: [] },
  attachments: { media: [], docs: [], links: [] },
  fields: {},
};
const field = { version: 1, kind: "customers", choices: [], createdAt: "", updatedAt: "" };

const show = (path: string, permissions = ["customers.write", "customers.delete_own"]) => {
  accept({ ...signedIn(), user: { ...mira, permissions: permissions as (typeof mira)["permissions"] } });
  return renderApp(
    <Routes>
      <Route path="customers/new" element={<NewCustomerDrawer />} />
      <Route path="customers/:id" element={<CustomerDrawer />} />
      <Route path="*" element={<p>The list</p>} />
    </Routes>,
    { path },
  );
};

beforeEach(() => {
  sessionStorage.clear();
  setSingleKeys(true);
  server.on("GET /api/team", () => ({ items: [{ id: mira.id, name: mira.name }], total: 1 }));
  server.on("GET /api/dashboards/analytics", () => ({
    customers: { total: 0, series: [], byStatus: [], byTag: [] },
    weeks: [],
    activity: [],
  }));
  server.on("GET /api/fields", () => ({ items: [], total: 0 }));
  server.on("GET /api/tasks", () => ({ items: [], total: 0 }));
  server.on("GET /api/customers/c1", () => customer);
  for (const part of ["files", "timeline"]) server.on(`GET /api/customers/c1/${part}`, () => ({ items: [], total: 0 }));
});

test("shows the record with its common parts, and e edits it", async () => {
  show("/customers/c1");
  expect(await screen.findByRole("heading", { name: "Activity" })).toBeVisible();
  expect(screen.getByRole("heading", { name: "Files" })).toBeVisible();
  await userEvent.keyboard("e");
  expect(await screen.findByRole("heading", { name: "Edit customer" })).toBeVisible();
  await userEvent.keyboard("e");
  expect(screen.getByRole("textbox", { name: "Name" })).toHaveValue("Hollis Reede");
});

test("a record that a colleague deletes while it is open is gone", async () => {
  const { client } = show("/customers/c1");
  expect(await screen.findByRole("heading", { name: "Hollis Reed" })).toBeVisible();
  server.on("GET /api/customers/c1", () => new Answer(404, { error: { code: "not_found", message: "This doesn’t exist." } }));
  await client.invalidateQueries({ queryKey: ["customers"] });
  expect(await screen.findByText("“Hollis Reed” was moved to the trash.")).toBeVisible();
  expect(screen.queryByRole("heading", { name: "Hollis Reed" })).toBeNull();
});

// The kind of fault: a record that was there a moment ago is said not to exist.
const goneTo = { not_found: {}, record_in_bin: { deletedAt: "2026-11-20T10:00:00Z" } };
const moveToBin = (code: keyof typeof goneTo) => {
  const answer = () => new Answer(404, { error: { code, message: "We couldn’t find this.", ...goneTo[code] } });
  server.on("GET /api/customers/c1", answer);
  server.on("PATCH /api/customers/c1", answer);
};

test("who moved the open record to the bin is named, and who may restore it can", async () => {
  server.on("GET /api/team", () => ({ items: [{ id: "u2", name: "Ben Osei", state: "active" }], total: 1 }));
  const { client } = show("/customers/c1");
  expect(await screen.findByRole("heading", { name: "Hollis Reed" })).toBeVisible();
  noteRemover({ kind: "customer", recordId: "c1" }, "u2");
  moveToBin("record_in_bin");
  await client.invalidateQueries({ queryKey: ["customers"] });
  expect(await screen.findByText("Ben Osei moved “Hollis Reed” to the trash.")).toBeVisible();
  expect(screen.getByRole("button", { name: "Restore" })).toBeVisible();
  noteRemover({ kind: "customer", recordId: "c1" }, "");
});

test.each(["not_found", "record_in_bin"] as const)(
  "a form whose record was moved to the bin says so and keeps its text (%s)",
  async (code) => {
    show("/customers/c1");
    await userEvent.click(await screen.findByRole("button", { name: "Edit" }));
    await userEvent.type(await screen.findByRole("textbox", { name: "Name" }), "er");
    moveToBin(code);
    await userEvent.click(screen.getByRole("button", { name: "Save" }));
    expect(await screen.findByText("“Hollis Reed” was moved to the trash.")).toBeVisible();
    expect(screen.queryByText(/couldn’t find this/)).toBeNull();
    expect(screen.queryAllByRole("button", { name: "Restore" })).toHaveLength(code === "record_in_bin" ? 1 : 0);
    expect(screen.getByRole("textbox", { name: "Name" })).toHaveValue("Hollis Reeder");
  },
);

test("what is being typed where it stands stays when the record is moved to the bin", async () => {
  const { client } = show("/customers/c1");
  await userEvent.click(await screen.findByRole("button", { name: "Change name" }));
  await userEvent.type(screen.getByRole("textbox", { name: "Name" }), "er");
  moveToBin("not_found");
  await client.invalidateQueries({ queryKey: ["customers"] });
  expect(await screen.findByText("“Hollis Reed” was moved to the trash.")).toBeVisible();
  expect(screen.getByRole("textbox", { name: "Name" })).toHaveValue("Hollis Reeder");
  await userEvent.keyboard("{Escape}");
});

test("a record in the bin says since when, leads to the bin and is restored", async () => {
  const error = { code: "record_in_bin", message: "In the trash.", deletedAt: "2026-11-20T10:00:00Z" };
  server.on("GET /api/customers/c1", () => new Answer(404, { error }));
  show("/customers/c1");
  expect(await screen.findByText("This record has been in the trash since Nov 20, 2026.")).toBeVisible();
  expect(screen.getByRole("link", { name: "Go to the trash" })).toHaveAttribute("href", "/settings/data/bin");
  server.on("POST /api/bin/c1/restore", () => new Answer(409, { error: { code: "conflict", message: "That ID is taken." } }));
  await userEvent.click(screen.getByRole("button", { name: "Restore" }));
  expect(await screen.findByText("That ID is taken.")).toBeVisible();
  server.on("POST /api/bin/c1/restore", () => {
    server.on("GET /api/customers/c1", () => customer);
    return { id: "c1", kind: "customer", link: "/customers/c1" };
  });
  await userEvent.click(screen.getByRole("button", { name: "Restore" }));
  expect(await screen.findByRole("heading", { name: "Hollis Reed" })).toBeVisible();
});

test("a form with text from before a reload is open again", async () => {
  show("/customers/c1");
  await userEvent.click(await screen.findByRole("button", { name: "Edit" }));
  await userEvent.type(await screen.findByRole("textbox", { name: "Name" }), "er");
  cleanup();
  show("/customers/c1");
  expect(await screen.findByRole("textbox", { name: "Name" })).toHaveValue("Hollis Reeder");
});

test("Ctrl+Enter saves while a choice has the focus", async () => {
  show("/customers/new");
  server.on("POST /api/customers", () => new Answer(201, customer));
  await userEvent.type(await screen.findByRole("textbox", { name: "Name" }), "Hollis Reed");
  screen.getByRole("button", { name: /Status/ }).focus();
  await userEvent.keyboard("{Control>}{Enter}{/Control}");
  await waitFor(() => expect(server.sent("POST /api/customers")).toHaveLength(1));
});

test("Cancel asks before it discards changes", async () => {
  show("/customers/c1");
  await userEvent.click(await screen.findByRole("button", { name: "Edit" }));
  await userEvent.type(await screen.findByRole("textbox", { name: "Name" }), "e");
  await userEvent.click(screen.getByRole("button", { name: "Cancel" }));
  await userEvent.click(await screen.findByRole("button", { name: "Discard" }));
  expect(await screen.findByRole("button", { name: "Edit" })).toBeVisible();
  await userEvent.click(screen.getByRole("button", { name: "Edit" }));
  expect(await screen.findByRole("textbox", { name: "Name" })).toHaveValue("Hollis Reed");
});

const isShown = (panel: HTMLElement) => !panel.classList.contains("hidden");

test("on phones, the facts are a tab; beside the list they are a summary", async () => {
  await setWidth(390);
  server.on("GET /api/customers/c1", () => ({
    ...customer,
    about: "Short mails.",
    details: {
      ...customer.details,
      company: "Lantern",
      phoneNumbers: [{ country: "GB", phoneNumber: "020 7946 0018", e164: "+442079460018" }],
    },
  }));
  show("/customers/c1", ["customers.write", "comments.write", "tasks.write", "events.write"]);
  const tabs = within(await screen.findByRole("tablist"));
  expect(tabs.getAllByRole("tab").map((tab) => tab.textContent)).toEqual(["Details", "Activity", "Related", "Files"]);
  expect(tabs.getByRole("tab", { name: "Details" })).toHaveAttribute("aria-selected", "true");
  const actions = within(screen.getByRole("group", { name: "Quick actions" }));
  expect(actions.getByRole("link", { name: "Call Hollis Reed" })).toHaveAttribute("href", "tel:+442079460018");
  expect(actions.queryByRole("button", { name: "Task for Hollis Reed" })).toBeNull();
  // The composer is in another tab.
  await userEvent.click(actions.getByRole("button", { name: "Log activity with Hollis Reed" }));
  expect(tabs.getByRole("tab", { name: "Activity" })).toHaveAttribute("aria-selected", "true");
  expect(screen.getByRole("textbox", { name: "What was said" })).toHaveFocus();

  await setWidth(1000);
  expect(screen.getAllByRole("tab").map((tab) => tab.textContent)).toEqual(["Activity", "Related", "Files"]);
  const about = screen.getByText("Short mails.").closest("dl > div") as HTMLElement;
  expect(isShown(about)).toBe(false);
  await userEvent.click(screen.getByRole("button", { name: "More" }));
  expect(isShown(about)).toBe(true);
  expect(screen.getByRole("button", { name: "Less" })).toHaveAttribute("aria-expanded", "true");
  await userEvent.click(screen.getByRole("button", { name: "Task for Hollis Reed" }));
  expect(screen.getByRole("textbox", { name: /^What to do next/ })).toHaveFocus();
});

test("the way back to a record leads to the tab that was chosen", async () => {
  await setWidth(1000);
  const { unmount } = show("/customers/c1");
  await userEvent.click(await screen.findByRole("tab", { name: "Files" }));
  unmount();
  show("/customers/c1");
  expect(await screen.findByRole("tab", { name: "Files" })).toHaveAttribute("aria-selected", "true");
  await userEvent.click(screen.getByRole("tab", { name: "Activity" }));
});

test("with the whole window, facts, timeline and related records are beside each other", async () => {
  await setWidth(1280);
  const { router } = show("/customers/c1");
  await userEvent.click(await screen.findByRole("button", { name: "Use the whole window" }));
  expect(router.state.location.search).toBe("?wide=1");
  expect(screen.getByRole("region", { name: "Details" })).toBeVisible();
  expect(screen.getByRole("region", { name: "Activity" })).toBeVisible();
  expect(within(screen.getByRole("region", { name: "Related" })).getByRole("heading", { name: "Files" })).toBeVisible();
  expect(screen.queryByRole("tablist")).toBeNull();
  // In a narrower window, it is beside its list again.
  await setWidth(1000);
  expect(await screen.findByRole("tablist")).toBeVisible();
});

test("the picture is changed and removed at the picture", async () => {
  let kept: Customer = { ...customer, avatar: "/media/a.png" };
  server.on("GET /api/customers/c1", () => kept);
  server.on("PATCH /api/customers/c1", ({ body }) => {
    kept = { ...kept, ...(body as object), version: kept.version + 1 };
    return kept;
  });
  show("/customers/c1");
  await userEvent.click(await screen.findByRole("button", { name: "Change picture" }));
  const menu = within(await screen.findByRole("menu"));
  // It has none for the cover.
  expect(menu.getByRole("menuitem", { name: "Add picture" })).toBeVisible();
  await userEvent.click(menu.getByRole("menuitem", { name: "Remove picture" }));
  await waitFor(() => expect(server.sent("PATCH /api/customers/c1")[0]?.body).toEqual({ avatar: null }));
});

test("closing goes back to the list from which the record was opened, otherwise it replaces the record", async () => {
  const { router } = show("/dashboard");
  await act(() => router.navigate("/customers"));
  await act(() => router.navigate("/customers/c1", { state: openedState }));
  await screen.findByRole("heading", { name: "Activity" });
  await userEvent.click(screen.getByRole("button", { name: "Close" }));
  await waitFor(() => expect(router.state.location.pathname).toBe("/customers"));
  await act(() => router.navigate(-1));
  expect(router.state.location.pathname).toBe("/dashboard");
  await act(() => router.navigate("/customers/c1"));
  await screen.findByRole("heading", { name: "Activity" });
  await userEvent.click(screen.getByRole("button", { name: "Close" }));
  await waitFor(() => expect(router.state.location.pathname).toBe("/customers"));
  await act(() => router.navigate(-1));
  expect(router.state.location.pathname).toBe("/dashboard");
});

test("who may not change a record can neither edit nor delete it", async () => {
  show("/customers/c1", []);
  await screen.findByRole("heading", { name: "Hollis Reed" });
  await userEvent.keyboard("e");
  expect(screen.queryByRole("button", { name: "Edit" })).toBeNull();
  expect(screen.queryByRole("button", { name: "Delete" })).toBeNull();
  expect(screen.queryByRole("textbox", { name: "Name" })).toBeNull();
});

test("deletes the record from its drawer, and returns to the list with its filters", async () => {
  server.on("DELETE /api/customers/c1", () => new Answer(204));
  const { router } = show("/customers/c1?q=reed");
  await userEvent.click(await screen.findByRole("button", { name: "Delete" }));
  expect(await screen.findByText("The list")).toBeVisible();
  expect(router.state.location.pathname + router.state.location.search).toBe("/customers?q=reed");
});

test("a record that does not exist says so", async () => {
  server.on("GET /api/customers/c1", () => new Answer(404, { error: { code: "not_found", message: "Not found." } }));
  show("/customers/c1");
  expect(await screen.findByRole("alert")).toHaveTextContent("This doesn’t exist");
  expect(screen.getByRole("button", { name: "Close" })).toBeVisible();
});

test("Ctrl+Enter creates a record with its custom fields, also one that is being typed", async () => {
  server.on("GET /api/fields", () => ({ items: [{ ...field, id: "f1", key: "seats", name: "Seats", type: "number" }], total: 1 }));
  server.on("POST /api/customers", ({ body }) => ({ ...customer, ...(body as object) }));
  show("/customers/new");
  await userEvent.type(await screen.findByLabelText(/^Name/), "Ann");
  const seats = await screen.findByLabelText("Seats");
  await userEvent.type(seats, "some");
  await userEvent.click(screen.getByRole("button", { name: "Add customer" }));
  expect(await screen.findByText("Enter a number.")).toBeVisible();
  expect(seats).toHaveValue("some");
  expect(server.sent("POST /api/customers")).toHaveLength(0);

  await userEvent.clear(seats);
  await userEvent.type(seats, "12");
  await userEvent.keyboard("{Control>}{Enter}{/Control}");
  await waitFor(() => expect(server.sent("POST /api/customers")).toHaveLength(1));
  expect(server.sent("POST /api/customers")[0]?.body).toMatchObject({ name: "Ann", fields: { seats: 12 } });
});

test("an error of a custom field appears there, and the draft keeps its value", async () => {
  server.on("GET /api/fields", () => ({ items: [{ ...field, id: "f1", key: "code", name: "Code", type: "text" }], total: 1 }));
  const fields = { "fields.code": "Not this code." };
  server.on("POST /api/customers", () => new Answer(422, { error: { code: "validation", message: "Check the fields.", fields } }));
  const first = show("/customers/new");
  await userEvent.type(await screen.findByLabelText(/^Name/), "Ann");
  await userEvent.type(await screen.findByLabelText("Code"), "A1");
  await userEvent.click(screen.getByRole("button", { name: "Add customer" }));
  expect(await screen.findByText("Not this code.")).toBeVisible();
  first.unmount();
  show("/customers/new");
  expect(await screen.findByText(/We kept your unsaved text/)).toBeVisible();
  expect(await screen.findByLabelText("Code")).toHaveValue("A1");
});
