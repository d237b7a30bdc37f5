import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, test } from "vitest";
import type { CalendarEvent } from "@/api/schema";
import { accept } from "@/api/session";
import type { ListColumn } from "@/records/list/columns";
import { mira, signedIn } from "@/test/people";
import { renderApp } from "@/test/render";
import { standInServer } from "@/test/server";
import { setWidth } from "@/test/width";
import { RecordList } from "./record-list";

const server = standInServer();
const make = (id: string, title: string): CalendarEvent => ({
  id,
  title,
  version: 1,
  createdAt: "2026-11-01T10:00:00Z",
  updatedAt: "2026-11-01T10:00:00Z",
  createdBy: mira.id,
  allDay: true,
  attendees: [],
  reminders: [],
  fields: {},
});
const usual: ListColumn<CalendarEvent>[] = [
  { id: "title", label: "Subject", type: "text" },
  { id: "location", label: "Place", type: "text", usual: true, cell: ({ location }) => location },
  { id: "color", label: "Colour", type: "text", cell: ({ color }) => color },
];
const show = (path: string, columns = usual) =>
  renderApp(
    <RecordList
      kind="event"
      columns={columns}
      order="-start"
      title={({ title }) => ({ name: title })}
      card={({ location }) => location ?? "No place"}
      controls={(list) => (
        <button type="button" onClick={() => list.set({ span: "month" })}>
          {"Month"}
        </button>
      )}
      deleteText={({ ids }) => (ids.includes("e2") ? "The fair goes with it." : undefined)}
    />,
    { path },
  );
const asked = () => [...(server.sent("GET /api/events/records").at(-1)?.query ?? [])].map((pair) => pair.join("="));
const heads = () => screen.getAllByRole("columnheader").map((head) => head.textContent);
const press = (role: string, name: string) => screen.findByRole(role, { name }).then((found) => userEvent.click(found));

beforeEach(() => {
  accept({ ...signedIn(), user: { ...mira, permissions: ["events.write", "events.delete_own"] } });
  server.on("GET /api/team", () => ({ items: [{ id: mira.id, name: "Mira Beck" }], total: 1 }));
  server.on("GET /api/events/records", () => ({ items: [make("e1", "Review"), make("e2", "Fair")], total: 1200, nextCursor: "abc" }));
});

test("reads the list of the kind, and its records open beside it with the address’s query", async () => {
  const { router } = show("/events?filter=location:is:Rome");
  expect(await screen.findByRole("link", { name: "Review" })).toHaveAttribute("href", "/events/e1?filter=location%3Ais%3ARome");
  expect(asked()).toEqual(["filter=location:is:Rome", "sort=-start", "limit=50"]);
  expect(screen.getByText("1,200 events found")).toBeVisible();
  await press("button", "Clear filter Place");
  expect(await screen.findByText("1,200 events")).toBeVisible();
  await press("button", "Next");
  await waitFor(() => expect(asked()).toEqual(["sort=-start", "cursor=abc", "limit=50"]));
  expect(await screen.findByText("51–52 of 1,200")).toBeVisible();
  await press("button", "Month");
  await waitFor(() => expect(router.state.location.search).toBe("?span=month"));
});

test("the first column is the title, and those that every kind has follow the usual ones", async () => {
  show("/events");
  await screen.findByRole("link", { name: "Review" });
  expect(heads()).toEqual(["Subject", "Place", "Last updated"]);
  await press("button", "Columns");
  const menu = within(await screen.findByRole("dialog", { name: "Columns" }));
  const hidden = menu.getAllByRole("checkbox", { checked: false }).map((box) => box.closest("li")?.textContent);
  expect(hidden).toEqual(["Colour", "Created", "Created by"]);
  await press("checkbox", "Created by");
  expect((await screen.findAllByRole("cell", { name: "Mira Beck" })).length).toBe(2);
  await userEvent.keyboard("{Escape}");
  await press("button", "Subject");
  await waitFor(() => expect(asked()).toContain("sort=title"));
});

test("a kind shows a common column in its own way", async () => {
  show("/events", [...usual, { id: "updatedAt", label: "Touched", type: "time", cell: () => "Lately" }]);
  await screen.findByRole("link", { name: "Review" });
  expect(heads()).toEqual(["Subject", "Place"]);
  await press("button", "Columns");
  await press("checkbox", "Touched");
  expect(await screen.findAllByRole("cell", { name: "Lately" })).toHaveLength(2);
  expect(screen.queryByRole("checkbox", { name: "Last updated" })).toBeNull();
});

test("columns with numbers and money have their sums below, of all pages", async () => {
  const field = (key: string, name: string, type: string) => ({ id: key, key, name, type, kind: "events", choices: [] });
  server.on("GET /api/fields", () => ({ items: [field("seats", "Seats", "number"), field("cost", "Cost", "money")], total: 2 }));
  server.on("GET /api/sums", () => ({
    items: [
      { column: "fields.seats", sum: 0.1 + 0.2, count: 2 },
      { column: "fields.cost", currency: "EUR", sum: 123_450, count: 2 },
      { column: "fields.cost", currency: "JPY", sum: 700, count: 1 },
    ],
  }));
  show("/events?filter=location:is:Rome&q=fair&columns=location,fields.seats,fields.cost");
  const total = (await screen.findByRole("rowheader", { name: "Total" })).closest("tr");
  await waitFor(() => expect(total).toHaveTextContent("Total0.3€1,234.50¥700"));
  const query = [...(server.sent("GET /api/sums")[0]?.query ?? [])].map((pair) => pair.join("="));
  const columns = ["column=fields.seats", "column=fields.cost"];
  expect(query).toEqual(["kind=events", ...columns, "q=fair", "filter=location:is:Rome"]);
  await setWidth(390);
  expect(screen.getByText("Cost total").closest("div")).toHaveTextContent("Cost total€1,234.50¥700");
});

test("Escape ends the selection where nothing else is open", async () => {
  const tags: ListColumn<CalendarEvent> = { id: "tags", label: "Tags", type: "tags", choices: [], cell: () => "" };
  show("/events", [...usual, tags]);
  await press("checkbox", "Select Fair");
  await userEvent.click(within(screen.getByRole("region", { name: "Selected records" })).getByRole("button", { name: "Tags…" }));
  await screen.findByRole("dialog");
  await userEvent.keyboard("{Escape}");
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  const box = screen.getByRole("checkbox", { name: "Select Fair" });
  expect(box).toBeChecked();
  screen.getByRole("searchbox").focus();
  await userEvent.keyboard("{Escape}");
  expect(box).toBeChecked();
  box.focus();
  await userEvent.keyboard("{Escape}");
  expect(box).not.toBeChecked();
  expect(box).toHaveFocus();
});

test("says what deleting the selected records does to others", async () => {
  show("/events");
  await press("checkbox", "Select Fair");
  await press("button", "Delete");
  expect(await screen.findByRole("alertdialog")).toHaveTextContent("The fair goes with it.");
});

test("who may not change records cannot select them", async () => {
  accept({ ...signedIn(), user: { ...mira, permissions: [] } });
  show("/events");
  await screen.findByRole("link", { name: "Fair" });
  expect(screen.queryByRole("checkbox")).toBeNull();
  await setWidth(390);
  expect(screen.getByRole("list", { name: "Events" })).toHaveTextContent("ReviewNo placeFairNo place");
});

// What a key leads to never changes more than was selected: `b` and Enter once selected all records of the list (F-U5).
test("b leads to the first action for the selected rows, not to selecting all", async () => {
  show("/events");
  await press("checkbox", "Select Review");
  await press("checkbox", "Select Fair");
  expect(screen.getByText("2 selected")).toBeVisible();
  await userEvent.keyboard("b");
  expect(screen.getByRole("button", { name: "Change…" })).toHaveFocus();
  await userEvent.keyboard("{Enter}");
  expect(await screen.findByRole("dialog", { name: "2 selected" })).toBeVisible();
});

test("after selecting all, b leads to the same action, which names all", async () => {
  show("/events");
  await press("checkbox", "Select Review");
  await press("button", "Select all 1,200");
  await userEvent.keyboard("b{Enter}");
  expect(await screen.findByRole("dialog", { name: "1,200 selected" })).toBeVisible();
});
