import { useQuery } from "@tanstack/react-query";
import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, test } from "vitest";
import type { Customer, CustomField, SavedView } from "@/api/schema";
import { accept } from "@/api/session";
import { useToasts } from "@/lib/toast";
import { undo } from "@/lib/undo";
import { usePaging } from "@/lib/use-paging";
import { recordsQuery } from "@/records/data";
import type { ListColumn } from "@/records/list/columns";
import { mira, signedIn } from "@/test/people";
import { renderApp } from "@/test/render";
import { Answer, standInServer } from "@/test/server";
import { setWidth } from "@/test/width";
import { ListBar } from "./list-bar";
import { ListTable } from "./list-table";
import { useList } from "./use-list";

const server = standInServer();

const columns: ListColumn<Customer>[] = [
  { id: "name", label: "Name", type: "text" },
  {
    id: "status",
    label: "Status",
    type: "choice",
    choices: [
      { key: "lead", name: "Lead" },
      { key: "active", name: "Active" },
    ],
    quick: true,
    usual: true,
    cell: ({ status }) => status,
  },
  { id: "tags", label: "Tags", type: "tags", choices: [{ key: "vip", name: "vip" }], usual: true, cell: ({ tags }) => tags.join() },
  { id: "ownerId", label: "Owner", type: "member", usual: true, cell: ({ ownerId }) => ownerId },
  { id: "birthday", label: "Birthday", type: "date", cell: ({ details }) => details.birthday },
];

function Page() {
  const paging = usePaging(50, {});
  const list = useList<Customer>({ kind: "customer", columns, order: "name", address: paging });
  const { data } = useQuery({ ...recordsQuery("customer", list.request), enabled: list.mayRead });
  return (
    <>
      <ListBar list={list} searchLabel="Search customers" />
      {data && list.isKnown && (
        <ListTable
          list={list}
          label="Customers"
          titleLabel="Name"
          titleSort="name"
          records={data.items}
          to={({ id }) => `/customers/${id}`}
          title={({ name }) => ({ name })}
          card={() => null}
        />
      )}
    </>
  );
}

const custom = (key: string, type: CustomField["type"], more: Partial<CustomField> = {}): CustomField => ({
  id: key,
  key,
  type,
  name: key,
  kind: "customers",
  choices: [],
  version: 1,
  createdAt: "",
  updatedAt: "",
  ...more,
});
const view = (id: string, more: Partial<SavedView> = {}): SavedView => ({
  id,
  version: 3,
  createdAt: "",
  updatedAt: "",
  createdBy: "u1",
  kind: "customers",
  name: `View ${id}`,
  shared: false,
  filters: [],
  columns: [],
  ...more,
});
const at = "2026-11-01T10:00:00Z";
let views: { items: SavedView[]; defaultId?: string };

beforeEach(() => {
  accept({ ...signedIn(), user: { ...mira, permissions: [] } });
  views = { items: [] };
  useToasts.setState({ toasts: [] });
  server.on("GET /api/views", () => views);
  server.on("GET /api/team", () => ({ items: [{ id: "u2", name: "Ben Otieno" }], total: 1 }));
  server.on("GET /api/customers", () => ({
    items: [{ id: "c1", name: "Ana", status: "lead", tags: ["vip"], ownerId: "u1", details: {}, fields: {}, createdAt: at, updatedAt: at }],
    total: 1,
  }));
});

async function open(query = "") {
  const { router } = renderApp(<Page />, { path: `/customers${query}` });
  await screen.findByRole("link", { name: "Ana" });
  const address = () => [...new URLSearchParams(router.state.location.search)].map((pair) => pair.join("="));
  return { router, address };
}
const asked = () => server.sent("GET /api/customers").at(-1)?.query;
const press = (name: string | RegExp, role = "button") => screen.findByRole(role, { name }).then((found) => userEvent.click(found));
const addFilter = async (column: string) => {
  await press(/^Filter($|,)/);
  await press(column, "menuitem");
  return within(await screen.findByRole("dialog", { name: `Filter by ${column}` }));
};
const chooseMode = async (mode: string) => {
  await press(/Condition/);
  await press(mode, "option");
};

test("a list of the records of an import waits for its name, and is filtered by it", async () => {
  const one = {
    id: "i1",
    kind: "customers",
    name: "fair.csv",
    createdAt: at,
    state: "done",
    counts: { created: 2, updated: 0 },
    problems: [],
  };
  const id = "019a9c3e-7b1f-7c52-9b0e-3d0c5a7f1e20";
  server.on("GET /api/imports", () => ({
    items: [
      { ...one, id },
      { ...one, kind: "deals" },
    ],
    total: 2,
  }));
  const { address } = await open(`?filter=import:is:${id}`);
  expect(server.sent("GET /api/customers").map(({ query }) => query.getAll("filter"))).toEqual([[`import:is:${id}`]]);
  await press("Import is fair.csv · Nov 1, 2026");
  const dialog = await screen.findByRole("dialog", { name: "Filter by Import" });
  expect(within(dialog).getAllByRole("checkbox")).toHaveLength(1);
  await userEvent.keyboard("{Escape}");
  await press("Clear filter Import");
  await waitFor(() => expect(address()).toEqual([]));
});

test("a list that is not filtered by an import does not read them", async () => {
  await open();
  expect(server.sent("GET /api/imports")).toHaveLength(0);
});

test("a quick filter takes several choices in one step of the history", async () => {
  const { router, address } = await open();
  await press("Filter by Status");
  await press("Lead", "checkbox");
  await waitFor(() => expect(address()).toEqual(["filter=status:is:lead"]));
  await press("Active", "checkbox");
  await waitFor(() => expect(asked()?.getAll("filter")).toEqual(["status:is:lead,active"]));
  await press("Done");
  const chip = await screen.findByRole("button", { name: "Status is Lead, Active" });
  await waitFor(() => expect(chip).toHaveFocus());
  await router.navigate(-1);
  await waitFor(() => expect(address()).toEqual([]));
  expect(await screen.findByRole("button", { name: "Filter by Status" })).toBeVisible();
});

test("Enter chooses the current choice of a filter, and in its search the only one that matches", async () => {
  const { address } = await open();
  await press("Filter by Status");
  const lead = await screen.findByRole("checkbox", { name: "Lead" });
  await waitFor(() => expect(lead).toHaveFocus());
  await userEvent.keyboard("{Enter}");
  await waitFor(() => expect(address()).toEqual(["filter=status:is:lead"]));
  expect(screen.getByRole("dialog", { name: "Filter by Status" })).toBeVisible();
  await userEvent.keyboard("{ArrowDown}{Enter}");
  await waitFor(() => expect(address()).toEqual(["filter=status:is:lead,active"]));
  await userEvent.keyboard("{Enter}");
  await waitFor(() => expect(address()).toEqual(["filter=status:is:lead"]));
  await press("Done");
  const editor = await addFilter("Tags");
  await userEvent.type(editor.getByRole("searchbox"), "vi{Enter}");
  await waitFor(() => expect(address()).toEqual(["filter=status:is:lead", "filter=tags:is:vip"]));
});

test("an existing filter is changed in place, and removed by its button", async () => {
  const { address } = await open("?filter=status:is:lead&filter=tags:is:a%5C%2Cb");
  expect(screen.getByRole("button", { name: "Tags is a,b" })).toBeVisible();
  await press("Status is Lead");
  await chooseMode("is not");
  await waitFor(() => expect(address()).toEqual(["filter=status:not:lead", "filter=tags:is:a\\,b"]));
  await press("Done");
  await press("Clear filter Status");
  await waitFor(() => expect(address()).toEqual(["filter=tags:is:a\\,b"]));
  await press("Clear all");
  await waitFor(() => expect(address()).toEqual([]));
});

test("a filter that gets no value disappears again", async () => {
  const { address } = await open();
  await addFilter("Name");
  await userEvent.keyboard("{Escape}");
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  expect(screen.queryByRole("button", { name: "Filter by Name" })).toBeNull();
  expect(address()).toEqual([]);
});

test("texts are applied by Enter, and escaped", async () => {
  const { address } = await open();
  const editor = await addFilter("Name");
  await userEvent.type(editor.getByRole("textbox", { name: "Value" }), "Reed, H.{Enter}");
  await waitFor(() => expect(address()).toEqual(["filter=name:contains:Reed\\, H."]));
  expect(await screen.findByRole("button", { name: "Name contains Reed, H." })).toBeVisible();
});

test("typed values are applied when the editor closes within the pause", async () => {
  const { address } = await open();
  const editor = await addFilter("Name");
  await userEvent.type(editor.getByRole("textbox", { name: "Value" }), "Reed");
  await userEvent.keyboard("{Escape}");
  await waitFor(() => expect(address()).toEqual(["filter=name:contains:Reed"]));
});

test("members include the reader, and free tags can be typed", async () => {
  const { address } = await open();
  await addFilter("Owner");
  await press("Me", "checkbox");
  await press("Ben Otieno", "checkbox");
  await press("Done");
  expect(await screen.findByRole("button", { name: "Owner is Me, Ben Otieno" })).toBeVisible();
  const editor = await addFilter("Tags");
  await userEvent.type(editor.getByRole("searchbox"), "New York{Enter}");
  await press("Done");
  await waitFor(() => expect(address()).toEqual(["filter=ownerId:is:me,u2", "filter=tags:is:New York"]));
});

test("a date is chosen relative to today or as a day", async () => {
  const { address } = await open();
  const editor = await addFilter("Birthday");
  expect(editor.getByRole("textbox", { name: "Days" })).toHaveValue("7");
  await press("Done");
  await waitFor(() => expect(address()).toEqual(["filter=birthday:gte:today", "filter=birthday:lte:today+7"]));
  await press("Birthday is in the next 7 days");
  await chooseMode("is on or before");
  await userEvent.type(screen.getByRole("textbox", { name: "Value" }), "12/31/2026{Enter}");
  await waitFor(() => expect(address()).toEqual(["filter=birthday:lte:2026-12-31"]));
  expect(await screen.findByRole("button", { name: "Birthday is on or before Dec 31, 2026" })).toBeVisible();
});

const day = (text: string) => userEvent.type(screen.getByRole("textbox", { name: "Value" }), text);
const chips = () => screen.queryAllByRole("button", { name: /^(Birthday|Name) (is|contains)/ }).map(({ textContent }) => textContent);

test("two filters of one column keep their order, and each is edited alone", async () => {
  const { address } = await open();
  await addFilter("Birthday");
  await chooseMode("is on or after");
  await day("1/1/2026{Enter}");
  await addFilter("Name");
  await userEvent.type(screen.getByRole("textbox", { name: "Value" }), "a{Enter}");
  await addFilter("Birthday");
  await chooseMode("is on or before");
  await day("12/31/2026{Enter}");
  const first = "Birthday is on or after Jan 1, 2026";
  await waitFor(() => expect(chips()).toEqual([first, "Name contains a", "Birthday is on or before Dec 31, 2026"]));
  // Without a value for a moment, it keeps its place.
  await press(first);
  await chooseMode("has a value");
  await chooseMode("is on or after");
  await day("2/1/2026{Enter}");
  await waitFor(() =>
    expect(chips()).toEqual(["Birthday is on or after Feb 1, 2026", "Name contains a", "Birthday is on or before Dec 31, 2026"]),
  );
  expect(address()).toEqual(["filter=birthday:gte:2026-02-01", "filter=name:contains:a", "filter=birthday:lte:2026-12-31"]);
});

test("a lower end and an upper end chosen one after the other are one range, as after a reload", async () => {
  const { address } = await open("?filter=birthday:gte:2026-01-01");
  await addFilter("Birthday");
  await chooseMode("is on or before");
  // The editor stays open while what it edits becomes a part of the range, and changes only that.
  await day("11/30/2026");
  await userEvent.tab();
  await waitFor(() => expect(address()).toEqual(["filter=birthday:gte:2026-01-01", "filter=birthday:lte:2026-11-30"]));
  await userEvent.clear(screen.getByRole("textbox", { name: "Value" }));
  await day("12/31/2026{Enter}");
  await waitFor(() => expect(address()).toEqual(["filter=birthday:gte:2026-01-01", "filter=birthday:lte:2026-12-31"]));
  await waitFor(() => expect(chips()).toHaveLength(1));
  const [range = ""] = chips();
  expect(range).toMatch(/^Birthday is Jan 1, 2026 to Dec 31, 2026/);
  await waitFor(() => expect(screen.getByRole("button", { name: range })).toHaveFocus());
  await press(range);
  await chooseMode("is empty");
  await press("Done");
  await waitFor(() => expect(address()).toEqual(["filter=birthday:empty"]));
});

test("on a phone, the button for filters gets the focus back when an editor is closed by keyboard", async () => {
  await setWidth(390);
  await open("?filter=status:is:lead");
  const button = screen.getByRole("button", { name: "Filter, 1 active" });
  for (const item of ["Status is Lead", "Name"]) {
    button.focus();
    await userEvent.keyboard("{Enter}");
    (await screen.findByRole("menuitem", { name: item })).focus();
    await userEvent.keyboard("{Enter}");
    const dialog = await screen.findByRole("dialog", { name: /^Filter by/ });
    await waitFor(() => expect(dialog).toContainElement(document.activeElement as HTMLElement));
    await userEvent.keyboard("{Escape}");
    await waitFor(() => expect(dialog).not.toBeInTheDocument());
    await waitFor(() => expect(button).toHaveFocus());
  }
  await setWidth(1024);
});

test("on a phone, the filters are in the menu of one button, which gets the focus back", async () => {
  await setWidth(390);
  const { address } = await open();
  const button = screen.getByRole("button", { name: "Filter" });
  await addFilter("Status");
  await press("Lead", "checkbox");
  await press("Done");
  await waitFor(() => expect(button).toHaveFocus());
  expect(button).toHaveAccessibleName("Filter, 1 active");
  expect(screen.queryByRole("button", { name: "Status is Lead" })).toBeNull();
  await press("Filter, 1 active");
  await press("Status is Lead", "menuitem");
  await press("Remove filter");
  await waitFor(() => expect(address()).toEqual([]));
  await waitFor(() => expect(button).toHaveFocus());
  await setWidth(1024);
});

test("filters that the bar has no room for are in a menu of their own", async () => {
  Object.defineProperty(HTMLElement.prototype, "clientWidth", { configurable: true, value: 280 });
  const { address } = await open("?filter=status:is:lead&filter=tags:is:vip&filter=name:contains:a");
  Reflect.deleteProperty(HTMLElement.prototype, "clientWidth");
  expect(screen.getByRole("button", { name: "Status is Lead" })).toBeVisible();
  expect(screen.queryByRole("button", { name: "Tags is vip" })).toBeNull();
  await press("2 more filters");
  await press("Tags is vip", "menuitem");
  expect(await screen.findByRole("dialog", { name: "Filter by Tags" })).toBeVisible();
  await press("Remove filter");
  await waitFor(() => expect(address()).toEqual(["filter=status:is:lead", "filter=name:contains:a"]));
});

test("clearing the filters moves the focus to the button that adds one", async () => {
  await open("?filter=name:contains:a");
  await press("Clear all");
  await waitFor(() => expect(screen.queryByRole("button", { name: "Clear all" })).toBeNull());
  expect(screen.getByRole("button", { name: "Filter" })).toHaveFocus();
});

// The kind of fault: a view whose filter names a choice that was removed opens with all records, and cannot be saved again.
// Neighbours: one of several choices, the editor, and the filters that a view is saved with.
test("a choice that was removed stays in the filters of a view, and says so", async () => {
  const filters = ["fields.size:is:large", "fields.sectors:not:farming,trade"];
  views = { items: [view("v1", { filters })], defaultId: "v1" };
  server.on("GET /api/fields", () => ({
    items: [
      custom("size", "choice", { choices: [{ key: "small", name: "Small" }] }),
      custom("sectors", "choices", { choices: [{ key: "trade", name: "Trade" }] }),
    ],
    total: 2,
  }));
  const { address } = await open();
  await waitFor(() => expect(asked()?.getAll("filter")).toEqual(filters));
  expect(screen.getByRole("button", { name: "sectors is not (removed), Trade" })).toBeVisible();
  await press("size is (removed)");
  const dialog = within(await screen.findByRole("dialog", { name: "Filter by size" }));
  expect(dialog.getByRole("checkbox", { name: "(removed)" })).toBeChecked();
  await press("Small", "checkbox");
  await waitFor(() => expect(asked()?.getAll("filter")).toEqual(["fields.size:is:large,small", filters[1]]));
  await userEvent.click(dialog.getByRole("checkbox", { name: "(removed)" }));
  await press("Done");
  await waitFor(() => expect(address()).toEqual(["view=v1", "filter=fields.size:is:small", `filter=${filters[1]}`]));
  expect(screen.getByRole("button", { name: "size is Small" })).toBeVisible();
});

test("numbers, money, checkboxes and records of custom fields have fitting inputs", async () => {
  server.on("GET /api/fields", () => ({
    items: [
      custom("seats", "number"),
      custom("budget", "money"),
      custom("signed", "checkbox"),
      custom("partner", "record", { target: "customers" }),
    ],
    total: 4,
  }));
  server.on("GET /api/customers/c9", () => ({ name: "Hollis Reed" }));
  const { address } = await open();
  let editor = await addFilter("seats");
  await userEvent.type(editor.getByRole("textbox", { name: "Value" }), "many");
  await userEvent.tab();
  expect(await editor.findByText("Enter a number.")).toBeVisible();
  await userEvent.clear(editor.getByRole("textbox", { name: "Value" }));
  await userEvent.type(editor.getByRole("textbox", { name: "Value" }), "2.5{Enter}");
  expect(await screen.findByRole("button", { name: "seats is at least 2.5" })).toBeVisible();
  editor = await addFilter("budget");
  await userEvent.type(editor.getByRole("textbox", { name: "Value" }), "1,000.50{Enter}");
  expect(await screen.findByRole("button", { name: "budget is at least $1,000.50" })).toBeVisible();
  await addFilter("signed");
  await press("No", "radio");
  await press("Done");
  expect(await screen.findByRole("button", { name: "signed is No" })).toBeVisible();
  server.on("GET /api/customers", () => ({ items: [{ id: "c9", name: "Hollis Reed", tags: [], details: {}, fields: {} }], total: 1 }));
  editor = await addFilter("partner");
  await userEvent.type(editor.getByRole("combobox", { name: "Add record" }), "hollis");
  await press("Hollis Reed", "option");
  await waitFor(() => expect(screen.getByRole("button", { name: "Done" })).toHaveFocus());
  await userEvent.keyboard("{Enter}");
  expect(await screen.findByRole("button", { name: "partner is Hollis Reed" })).toBeVisible();
  const filters = ["fields.seats:gte:2.5", "fields.budget:gte:USD 100050", "fields.signed:is:false", "fields.partner:is:c9"];
  await waitFor(() => expect(address()).toEqual(filters.map((filter) => `filter=${filter}`)));
});

test("a list has at most ten filters", async () => {
  const filters = Array.from({ length: 9 }, (_, at) => `filter=name:contains:${at}`).join("&");
  const { address } = await open(`?${filters}`);
  const editor = await addFilter("Birthday");
  await userEvent.click(editor.getByRole("button", { name: "Done" }));
  // A period would be two.
  expect(address()).toHaveLength(9);
  await press("Filter by Status");
  await press("Lead", "checkbox");
  await waitFor(() => expect(address()).toHaveLength(10));
  await userEvent.keyboard("{Escape}");
  await waitFor(() => expect(screen.getByRole("button", { name: "Filter" })).toBeDisabled());
});

test("the list is sorted by a column's heading, and the search follows the address", async () => {
  const { router, address } = await open();
  await press("Tags", "button");
  await waitFor(() => expect(asked()?.get("sort")).toBe("tags"));
  expect(screen.getByRole("columnheader", { name: "Tags" })).toHaveAttribute("aria-sort", "ascending");
  await press("Owner", "button");
  await waitFor(() => expect(asked()?.get("sort")).toBe("ownerId"));
  await press("Tags", "button");
  await press("Tags", "button");
  await waitFor(() => expect(address()).toEqual(["sort=-tags"]));
  await router.navigate("/customers?q=reed");
  await waitFor(() => expect(screen.getByRole("searchbox")).toHaveValue("reed"));
  await router.navigate(-1);
  await waitFor(() => expect(screen.getByRole("searchbox")).toHaveValue(""));
  expect(address()).toEqual(["sort=-tags"]);
});

test("one letter or punctuation is not searched, because it finds nothing, and the field says so", async () => {
  const { address } = await open("?q=reed");
  const field = screen.getByRole("searchbox");
  await userEvent.type(field, "{Backspace}{Backspace}{Backspace}");
  await waitFor(() => expect(address()).toEqual([]));
  expect(field).toHaveValue("r");
  const note = "Type at least 2 letters or digits to search.";
  await waitFor(() => expect(field).toHaveAccessibleDescription(note));
  expect(screen.getByRole("status")).toHaveTextContent(note);
  await userEvent.type(field, "o");
  await waitFor(() => expect(address()).toEqual(["q=ro"]));
  await waitFor(() => expect(field).not.toHaveAccessibleDescription());
  await userEvent.clear(field);
  await userEvent.type(field, "%_");
  await waitFor(() => expect(field).toHaveAccessibleDescription(note));
  await waitFor(() => expect(address()).toEqual([]));
});

test("columns are shown, hidden and moved", async () => {
  const { address } = await open();
  const heads = () => screen.getAllByRole("columnheader").map((head) => head.textContent);
  expect(heads()).toEqual(["Name", "Status", "Tags", "Owner", "Last updated"]);
  await press("Columns");
  await press("Birthday", "checkbox");
  await press("Tags", "checkbox");
  await press("Move “Owner” up");
  await waitFor(() => expect(address()).toEqual(["columns=ownerId,status,updatedAt,birthday"]));
  expect(screen.getByText("“Owner” is number 1 of 4.")).toBeInTheDocument();
  screen.getByRole("checkbox", { name: "Owner" }).focus();
  await userEvent.keyboard("{Alt>}{ArrowDown}{/Alt}");
  await waitFor(() => expect(address()).toEqual(["columns=status,ownerId,updatedAt,birthday"]));
  expect(screen.getByRole("checkbox", { name: "Owner" })).toHaveFocus();
  await press("Status", "checkbox");
  await press("Owner", "checkbox");
  await press("Last updated", "checkbox");
  expect(screen.getByRole("checkbox", { name: "Birthday" })).toBeDisabled();
  await press("Show the usual columns");
  await waitFor(() => expect(address()).toEqual([]));
});

test("the menu of columns shows those as hidden that the width hides, and to choose one shows all", async () => {
  const { address } = await open();
  const style = document.createElement("style");
  style.textContent = 'th[data-column="updatedAt"] { display: none }';
  document.head.append(style);
  await press("Columns");
  const box = (name: RegExp) => screen.findByRole("checkbox", { name });
  expect(await box(/^Last updated/)).not.toBeChecked();
  expect((await box(/^Last updated/)).closest("li")).toHaveTextContent("Last updatedHidden at this width");
  expect(await box(/^Owner/)).toBeChecked();
  expect((await box(/^Owner/)).closest("li")).not.toHaveTextContent("Hidden");
  expect((await box(/^Birthday/)).closest("li")).not.toHaveTextContent("Hidden");
  await userEvent.click(await box(/^Last updated/));
  await waitFor(() => expect(address()).toEqual(["columns=status,tags,ownerId,updatedAt"]));
  expect(await box(/^Last updated/)).toBeChecked();
  expect((await box(/^Last updated/)).closest("li")).not.toHaveTextContent("Hidden");
  style.remove();
});

test("a shared view is marked, with who shares it; own ones are plain, and the one that opens first is said", async () => {
  views = { items: [view("v1"), view("v2", { shared: true, createdBy: "u2" }), view("v3", { shared: true })], defaultId: "v1" };
  await open();
  await press("View v1");
  const item = (name: RegExp) => screen.findByRole("menuitemradio", { name });
  expect(await item(/^View v2 ?, Shared by Ben Otieno$/)).toBeVisible();
  expect(screen.getByTitle("Shared by Ben Otieno")).toBeVisible();
  expect(await item(/^View v3 ?, Shared by you$/)).toBeVisible();
  expect(await item(/^View v1 ?, The list opens with this view$/)).toBeVisible();
  await userEvent.click(await item(/^View v2 ?, Shared by Ben Otieno$/));
  expect(await screen.findByRole("button", { name: "View v2" })).toHaveAccessibleDescription("Shared by Ben Otieno");
});

test("a view is opened, changed and saved", async () => {
  views.items = [view("v1", { filters: ["status:is:lead"], sort: "-name", q: "ana" }), view("v2", { shared: true, createdBy: "u2" })];
  server.on("PATCH /api/views/v1", ({ body }) => {
    views.items = [view("v1", { ...views.items[0], ...(body as object), version: 4, q: "ana" })];
    return views.items[0];
  });
  const { address } = await open();
  await press("All customers");
  await press("View v1", "menuitemradio");
  await waitFor(() => expect(address()).toEqual(["view=v1"]));
  await waitFor(() => expect(asked()?.toString()).toBe("q=ana&filter=status%3Ais%3Alead&sort=-name&limit=50"));
  await waitFor(() => expect(screen.getByRole("searchbox")).toHaveValue("ana"));
  expect(screen.queryByRole("button", { name: "Save view" })).toBeNull();
  await press("Clear filter Status");
  await waitFor(() => expect(address()).toEqual(["view=v1", "filter="]));
  await press("Columns");
  await press("Birthday", "checkbox");
  await userEvent.keyboard("{Escape}");
  expect(await screen.findByRole("button", { name: "View v1, changed" })).toBeVisible();
  await press("Save view");
  await waitFor(() => expect(address()).toEqual(["view=v1"]));
  const [sent] = server.sent("PATCH /api/views/v1");
  expect(sent?.body).toEqual({ filters: [], q: "ana", sort: "-name", columns: ["status", "tags", "ownerId", "updatedAt", "birthday"] });
  expect(sent?.headers.get("If-Match")).toBe('"3"');
  expect(screen.getByRole("button", { name: "View v1" })).toBeVisible();
  expect(screen.getByRole("columnheader", { name: "Birthday" })).toBeVisible();
});

test("filters become a new view, which can be shared", async () => {
  server.on("POST /api/views", ({ body }) => {
    const made = view("v9", body as Partial<SavedView>);
    views.items = [made];
    return new Answer(201, made);
  });
  const { address } = await open("?filter=status:is:lead");
  await press("Save as new view…");
  const dialog = within(await screen.findByRole("dialog", { name: "New view" }));
  expect(dialog.queryByRole("checkbox")).toBeNull();
  accept({ ...signedIn(), user: { ...mira, permissions: ["customers.write"] } });
  await dialog.findByRole("checkbox");
  await userEvent.type(dialog.getByRole("textbox", { name: /Name/ }), "Leads");
  await userEvent.click(dialog.getByRole("checkbox", { name: "Share with the company" }));
  await userEvent.click(dialog.getByRole("button", { name: "Save" }));
  await waitFor(() => expect(address()).toEqual(["view=v9"]));
  expect(server.sent("POST /api/views")[0]?.body).toEqual({
    kind: "customers",
    name: "Leads",
    shared: true,
    filters: ["status:is:lead"],
    sort: "name",
    columns: [],
  });
  expect(await screen.findByRole("button", { name: "Leads" })).toBeVisible();
  expect(screen.getByRole("button", { name: "Status is Lead" })).toBeVisible();
});

test("others’ shared views are changed only with the permission", async () => {
  views.items = [view("v2", { shared: true, createdBy: "u2" })];
  const { address } = await open("?view=v2&sort=-name");
  expect(await screen.findByRole("button", { name: "View v2, changed" })).toBeVisible();
  expect(screen.getByRole("button", { name: "Save as new view…" })).toBeVisible();
  expect(screen.queryByRole("button", { name: "Save view" })).toBeNull();
  await press("View v2, changed");
  expect(screen.queryByRole("menuitem", { name: "Save view" })).toBeNull();
  await userEvent.keyboard("{Escape}");
  accept({ ...signedIn(), user: { ...mira, permissions: ["views.manage"] } });
  expect(await screen.findByRole("button", { name: "Save view" })).toBeVisible();
  server.on("PATCH /api/views/v2", ({ body }) => {
    views.items = [view("v2", { shared: true, createdBy: "u2", ...(body as object) })];
    return views.items[0];
  });
  await press("View v2, changed");
  await press("Edit view…", "menuitem");
  const dialog = within(await screen.findByRole("dialog", { name: "Edit view" }));
  await userEvent.type(dialog.getByRole("textbox", { name: /Name/ }), " of all");
  await userEvent.click(dialog.getByRole("button", { name: "Save" }));
  expect(await screen.findByRole("button", { name: "View v2 of all, changed" })).toBeVisible();
  expect(server.sent("PATCH /api/views/v2")[0]?.body).toEqual({ name: "View v2 of all" });
  expect(address()).toEqual(["view=v2", "sort=-name"]);
});

test("a deleted view can be brought back", async () => {
  views = { items: [view("v1", { filters: ["status:is:lead"] })], defaultId: "v1" };
  server.on("DELETE /api/views/v1", () => {
    views = { items: [] };
    return new Answer(204);
  });
  server.on("POST /api/views", ({ body }) => {
    views = { items: [view("v5", body as Partial<SavedView>)] };
    return new Answer(201, views.items[0]);
  });
  server.on("PUT /api/views/default", () => new Answer(204));
  const { address } = await open("?view=v1");
  await press("View v1");
  await press("Delete view", "menuitem");
  await waitFor(() => expect(asked()?.getAll("filter")).toEqual([]));
  // The closing menu hides the rest from the tree for a moment.
  expect(await screen.findByRole("button", { name: "All customers" })).toBeVisible();
  expect(useToasts.getState().toasts.at(-1)?.text).toBe("“View v1” was deleted.");
  expect(undo.runLast()).toBe(true);
  await waitFor(() => expect(server.sent("PUT /api/views/default")[0]?.body).toEqual({ kind: "customers", viewId: "v5" }));
  expect(server.sent("POST /api/views")[0]?.body).toMatchObject({ name: "View v1", filters: ["status:is:lead"], shared: false });
  expect(address()).not.toContain("view=v1");
});

test("the list opens with the default view, and the list without one stays reachable", async () => {
  views = { items: [view("v1", { filters: ["status:is:lead"] })], defaultId: "v1" };
  server.on("PUT /api/views/default", ({ body }) => {
    const { viewId } = body as { viewId: string | null };
    views = { items: views.items, ...(viewId && { defaultId: viewId }) };
    return new Answer(204);
  });
  const { router, address } = await open();
  expect(asked()?.getAll("filter")).toEqual(["status:is:lead"]);
  expect(address()).toEqual([]);
  await press("View v1");
  expect(screen.queryByRole("menuitem", { name: "Open the list with this view" })).toBeNull();
  await press("All customers", "menuitemradio");
  await waitFor(() => expect(address()).toEqual(["view=all"]));
  await waitFor(() => expect(asked()?.getAll("filter")).toEqual([]));
  await press("All customers");
  await press("Open the list with this view", "menuitem");
  await waitFor(() => expect(server.sent("PUT /api/views/default")[0]?.body).toEqual({ kind: "customers", viewId: null }));
  await router.navigate("/customers");
  expect(await screen.findByRole("button", { name: "All customers" })).toBeVisible();
});

test("a change of the list that opened by default keeps the view", async () => {
  views = { items: [view("v1", { filters: ["status:is:lead"] })], defaultId: "v1" };
  const { address } = await open();
  await press("Columns");
  await press("Birthday", "checkbox");
  await waitFor(() => expect(address()).toEqual(["view=v1", "columns=status,tags,ownerId,updatedAt,birthday"]));
  expect(asked()?.getAll("filter")).toEqual(["status:is:lead"]);
});

test("a link to a view that is not there shows the whole list", async () => {
  await open("?view=gone");
  expect(await screen.findByRole("button", { name: "Unavailable view" })).toBeVisible();
  expect(asked()?.getAll("filter")).toEqual([]);
});

test("on phones, filters without a value are in the menu only", async () => {
  await setWidth(390);
  await open("?filter=tags:is:vip");
  expect(screen.queryByRole("button", { name: "Filter by Status" })).toBeNull();
  await addFilter("Status");
  await press("Lead", "checkbox");
  await waitFor(() => expect(asked()?.getAll("filter")).toEqual(["tags:is:vip", "status:is:lead"]));
});
