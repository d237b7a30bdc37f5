import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { Route, Routes, useLocation } from "react-router";
import { beforeEach, expect, test } from "vitest";
import type { CalendarEvent } from "@/api/schema";
import { accept } from "@/api/session";
import { useToasts } from "@/lib/toast";
import { setTimeZone } from "@/lib/zone";
import { mira, signedIn } from "@/test/people";
import { renderApp } from "@/test/render";
import { Answer, standInServer } from "@/test/server";
import { EventDrawer, NewEventDrawer } from "./event-drawer";

const server = standInServer();
const review: CalendarEvent = {
  id: "e1",
  version: 3,
  createdAt: "2026-11-01T10:00:00Z",
  updatedAt: "2026-11-01T10:00:00Z",
  createdBy: "u1",
  title: "Review",
  allDay: false,
  start: "2026-11-23T09:00:00.000Z",
  end: "2026-11-23T10:00:00.000Z",
  timezone: "UTC",
  recurrence: "FREQ=WEEKLY",
  attendees: [],
  reminders: [],
  fields: {},
};
const third = { ...review, start: "2026-12-07T09:00:00.000Z", end: "2026-12-07T10:00:00.000Z" };

function Address() {
  const { pathname, search } = useLocation();
  return <output aria-label="address">{decodeURIComponent(pathname + search)}</output>;
}

const show = (path: string) =>
  renderApp(
    <>
      <Address />
      <Routes>
        <Route path="events/new" element={<NewEventDrawer />} />
        <Route path="events/:id" element={<EventDrawer />} />
        <Route path="*" element={null} />
      </Routes>
    </>,
    { path },
  );

beforeEach(() => {
  setTimeZone("UTC");
  accept({ ...signedIn(), user: { ...mira, permissions: ["events.write", "events.delete"] } });
  server.on("GET /api/team", () => ({ items: [], total: 0 }));
  for (const id of ["e1", "e2"]) {
    for (const part of ["files", "timeline"]) server.on(`GET /api/events/${id}/${part}`, () => ({ items: [], total: 0 }));
  }
  server.on("GET /api/events/e1", ({ query }) => (query.get("occurrence") ? third : review));
});

test("edits an occurrence on its own date, and changes only it and the following ones (F-U5)", async () => {
  server.on("PATCH /api/events/e1", ({ body }) => ({ ...third, ...(body as object), id: "e2", version: 1 }));
  server.on("GET /api/events/e2", () => ({ ...third, id: "e2", title: "Demo", version: 1 }));
  show("/events/e1?on=2026-12-07T09:00:00.000Z");
  await userEvent.click(await screen.findByRole("button", { name: "Edit" }));
  const choice = screen.getByRole("group", { name: "Apply to" });
  expect(within(choice).getByRole("radio", { name: "This and following" })).toBeChecked();
  expect(screen.getByText("Earlier occurrences stay as they are.")).toBeVisible();
  const title = screen.getByRole("textbox", { name: /Title/ });
  await userEvent.clear(title);
  await userEvent.type(title, "Demo");
  await userEvent.click(screen.getByRole("button", { name: "Save" }));
  await waitFor(() => expect(server.sent("PATCH /api/events/e1")).toHaveLength(1));
  const [sent] = server.sent("PATCH /api/events/e1");
  expect(Object.fromEntries(sent?.query ?? [])).toEqual({ occurrence: "2026-12-07T09:00:00.000Z", scope: "following" });
  expect(sent?.body).toMatchObject({ title: "Demo", start: third.start, end: third.end, recurrence: "FREQ=WEEKLY" });
  await waitFor(() => expect(screen.getByLabelText("address")).toHaveTextContent(`/events/e2?on=${third.start}`));
});

test("changes all occurrences when All is chosen", async () => {
  server.on("PATCH /api/events/e1", ({ body }) => ({ ...review, ...(body as object), start: review.start, version: 4 }));
  show("/events/e1?on=2026-12-07T09:00:00.000Z");
  await userEvent.click(await screen.findByRole("button", { name: "Edit" }));
  await userEvent.click(screen.getByRole("radio", { name: "All" }));
  expect(screen.getByText("Past occurrences change, too.")).toBeVisible();
  await userEvent.type(screen.getByRole("textbox", { name: /Location/ }), "Room 2");
  await userEvent.click(screen.getByRole("button", { name: "Save" }));
  await waitFor(() => expect(server.sent("PATCH /api/events/e1")[0]?.query.get("scope")).toBe("all"));
  await waitFor(() => expect(screen.getByLabelText("address")).toHaveTextContent(`/events/e1?on=${third.start}`));
});

test("deletion says which occurrences it affects, and deletes those", async () => {
  server.on("DELETE /api/events/e1", () => new Answer(204));
  show("/events/e1?on=2026-12-07T09:00:00.000Z");
  await userEvent.click(await screen.findByRole("button", { name: "Delete" }));
  const dialog = await screen.findByRole("alertdialog");
  expect(dialog).toHaveTextContent("This deletes this occurrence and all later ones for everyone.");
  await userEvent.click(within(dialog).getByRole("radio", { name: "All" }));
  expect(dialog).toHaveTextContent("Every occurrence goes to the trash, for everyone.");
  await userEvent.click(within(dialog).getByRole("radio", { name: "This and following" }));
  await userEvent.click(within(dialog).getByRole("button", { name: "Delete" }));
  await waitFor(() => expect(server.sent("DELETE /api/events/e1")).toHaveLength(1));
  expect(Object.fromEntries(server.sent("DELETE /api/events/e1")[0]?.query ?? [])).toEqual({ occurrence: third.start, scope: "following" });
  // The series gets its former rule; an empty one is taken out of the bin.
  await waitFor(() => expect(useToasts.getState().toasts.at(-1)?.action?.label).toBe("Undo"));
  server.on("PATCH /api/events/e1", () => new Answer(404, { error: { code: "not_found", message: "Gone." } }));
  server.on("POST /api/bin/e1/restore", () => new Answer(204));
  useToasts.getState().toasts.at(-1)?.action?.run();
  await waitFor(() => expect(server.sent("POST /api/bin/e1/restore")).toHaveLength(1));
  expect(server.sent("PATCH /api/events/e1")[0]?.body).toEqual({ recurrence: "FREQ=WEEKLY" });
  await waitFor(() => expect(screen.getByLabelText("address")).toHaveTextContent(/^\/events$/));
});

test("deletion of an event that does not repeat asks nothing", async () => {
  server.on("GET /api/events/e1", () => ({ ...review, recurrence: undefined }));
  server.on("DELETE /api/events/e1", () => new Answer(204));
  show("/events/e1");
  await userEvent.click(await screen.findByRole("button", { name: "Delete" }));
  await waitFor(() => expect(server.sent("DELETE /api/events/e1")).toHaveLength(1));
  expect(screen.queryByRole("alertdialog")).toBeNull();
  expect([...(server.sent("DELETE /api/events/e1")[0]?.query ?? [])]).toEqual([]);
});

test("an event that is added from a record has its person as attendee, and is linked to the record", async () => {
  accept({ ...signedIn(), user: { ...mira, permissions: ["events.write", "customers.read", "deals.read"] } });
  server.on("GET /api/fields", () => ({ items: [] }));
  server.on("GET /api/customers/c1", () => ({ id: "c1", name: "Ana López" }));
  server.on("GET /api/deals/d1", () => ({ id: "d1", title: "Rugs for Oslo" }));
  server.on("POST /api/events", ({ body }) => new Answer(201, { ...review, recurrence: undefined, ...(body as object), id: "e2" }));
  server.on("GET /api/events/e2", () => ({ ...review, id: "e2" }));
  server.on("POST /api/events/e2/links", () => new Answer(201, { id: "l1" }));
  show("/events/new?person=c1&link=deal:d1");
  expect(await screen.findByText("Rugs for Oslo")).toBeVisible();
  expect(await screen.findByRole("button", { name: "Remove Ana López" })).toBeVisible();
  await userEvent.type(screen.getByRole("textbox", { name: /Title/ }), "Demo");
  await userEvent.click(screen.getByRole("button", { name: "Add event" }));
  await waitFor(() => expect(server.sent("POST /api/events/e2/links")).toHaveLength(1));
  expect(server.sent("POST /api/events")[0]?.body).toMatchObject({ title: "Demo", attendees: [{ customerId: "c1" }] });
  expect(server.sent("POST /api/events/e2/links")[0]?.body).toEqual({ kind: "deal", recordId: "d1" });
  await waitFor(() => expect(screen.getByLabelText("address").textContent).toBe("/events/e2"));
});

test("a customer who attends is removed like a colleague", async () => {
  const attended = { ...review, recurrence: undefined, attendees: [{ customerId: "c1" }] };
  server.on("GET /api/events/e1", () => attended);
  server.on("GET /api/customers/c1", () => ({ id: "c1", name: "Ana López" }));
  server.on("PATCH /api/events/e1", ({ body }) => ({ ...attended, ...(body as object), version: 4 }));
  show("/events/e1");
  await userEvent.click(await screen.findByRole("button", { name: "Edit" }));
  await userEvent.click(await screen.findByRole("button", { name: "Remove Ana López" }));
  await userEvent.tab();
  await userEvent.click(await screen.findByRole("button", { name: "Save" }));
  await waitFor(() => expect(server.sent("PATCH /api/events/e1")[0]?.body).toMatchObject({ attendees: [] }));
});

test("title, place and people of an event are edited where they stand; those of a series only in the form", async () => {
  const { recurrence: _weekly, ...once } = review;
  let kept: CalendarEvent = { ...once, attendees: [{ customerId: "c1" }] };
  server.on("GET /api/team", () => ({
    items: [{ id: "u2", name: "Ben Osei", email: "ben@acme.example", role: "member", state: "active" }],
    total: 1,
  }));
  server.on("GET /api/team/former", () => ({ items: [] }));
  server.on("GET /api/customers/c1", () => ({ id: "c1", name: "Ana López" }));
  server.on("GET /api/events/e1", () => kept);
  server.on("PATCH /api/events/e1", ({ body }) => {
    kept = { ...kept, ...(body as Partial<CalendarEvent>), version: kept.version + 1 };
    return kept;
  });
  const sent = () => server.sent("PATCH /api/events/e1").map(({ body }) => body);
  const { unmount } = show("/events/e1");
  await userEvent.click(await screen.findByRole("button", { name: "Change title" }));
  const title = screen.getByRole("textbox", { name: "Title" });
  await userEvent.clear(title);
  await userEvent.type(title, "Demo{Enter}");
  expect(await screen.findByRole("heading", { name: "Demo" })).toBeVisible();
  await userEvent.click(screen.getByRole("button", { name: "Add location" }));
  await userEvent.type(screen.getByRole("textbox", { name: "Location" }), "Room 2{Enter}");
  await userEvent.click(screen.getByRole("button", { name: "Change attendees" }));
  const people = screen.getByRole("combobox", { name: "Attendees" });
  await userEvent.type(people, "ben");
  await screen.findByRole("option", { name: "Ben Osei" });
  await userEvent.keyboard("{ArrowDown}{Enter}");
  await waitFor(() => expect(sent()).toHaveLength(3));
  expect(sent()).toEqual([{ title: "Demo" }, { location: "Room 2" }, { attendees: [{ customerId: "c1" }, { memberId: "u2" }] }]);
  expect(server.sent("PATCH /api/events/e1").map(({ headers }) => headers.get("If-Match"))).toEqual(['"3"', '"4"', '"5"']);
  // The search for Ben ended, and all are offered again.
  await userEvent.click(await screen.findByRole("option", { name: "Ana López" }));
  await waitFor(() => expect(sent().at(-1)).toEqual({ attendees: [{ memberId: "u2" }] }));
  // The first Escape closes the list only.
  await userEvent.keyboard("{Escape}");
  expect(screen.getByRole("combobox", { name: "Attendees" })).toHaveFocus();
  expect(sent().slice(4)).toEqual([]);
  // The times are in the form.
  expect(screen.queryByRole("button", { name: "Change when" })).toBeNull();
  unmount();

  kept = review;
  show("/events/e1");
  expect(await screen.findByRole("heading", { name: "Review" })).toBeVisible();
  expect(screen.queryByRole("button", { name: "Change title" })).toBeNull();
  expect(screen.getByRole("button", { name: "Edit" })).toBeVisible();
});

// The kind of fault: a field that got the focus and was left without typing writes back what it showed before.
test.each([
  ["11 pm", "2026-11-29T22:00:00.000Z", "2026-11-29T23:00:00.000Z"],
  ["23:30", "2026-11-29T22:30:00.000Z", "2026-11-29T23:30:00.000Z"],
  ["9", "2026-11-29T08:00:00.000Z", "2026-11-29T09:00:00.000Z"],
])("an event that starts at %s is entered by keyboard alone", async (time, start, end) => {
  server.on("POST /api/events", ({ body }) => new Answer(201, { ...review, ...(body as object), id: "e2" }));
  server.on("GET /api/events/e2", () => ({ ...review, id: "e2" }));
  show("/events/new?day=2026-11-29");
  await userEvent.type(await screen.findByRole("textbox", { name: /Title/ }), "Night shift");
  const from = screen.getByRole("textbox", { name: "Start time" });
  screen.getByRole("textbox", { name: "Start" }).focus();
  await userEvent.tab();
  await userEvent.tab();
  expect(from).toHaveFocus();
  await userEvent.keyboard(time);
  await userEvent.tab();
  expect(screen.getByRole("textbox", { name: "End" })).toHaveFocus();
  await userEvent.tab();
  await userEvent.tab();
  await userEvent.keyboard("{Control>}{Enter}{/Control}");
  await waitFor(() => expect(server.sent("POST /api/events")).toHaveLength(1));
  expect(server.sent("POST /api/events")[0]?.body).toMatchObject({ start, end });
});
