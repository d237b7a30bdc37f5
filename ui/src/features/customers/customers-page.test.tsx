import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, test } from "vitest";
import type { Customer } from "@/api/schema";
import { accept } from "@/api/session";
import { mira, signedIn } from "@/test/people";
import { renderApp } from "@/test/render";
import { Answer, standInServer } from "@/test/server";
import { setWidth } from "@/test/width";
import { CustomersPage } from "./customers-page";

const server = standInServer();
const make = (id: string, name: string): Customer => ({
  id,
  name,
  version: 1,
  createdAt: "2026-11-01T10:00:00Z",
  updatedAt: "2026-11-01T10:00:00Z",
  status: "active",
  tags: ["wholesale", "eu", "retail"],
  details: { emails: [{ email: `${id}@customer.example`, label: "Work" }], phoneNumbers: [] },
  attachments: { media: [], docs: [], links: [] },
  fields: {},
});
const signIn = (permissions: string[]) => accept({ ...signedIn(), user: { ...mira, permissions } });
const asked = () => server.sent("GET /api/customers").at(-1)?.query;
const query = () => [...(asked() ?? [])].map((pair) => pair.join("="));

beforeEach(() => {
  signIn(["customers.write"]);
  server.on("GET /api/team", () => ({ items: [], total: 0 }));
  server.on("GET /api/team/former", () => ({ items: [] }));
  server.on("GET /api/customers", () => ({ items: [make("c1", "Ana López"), make("c2", "Hollis Reed")], total: 120, nextCursor: "abc" }));
});

test("search, filters and sort are in the address and go to the server", async () => {
  const { router } = renderApp(<CustomersPage />, { path: "/customers?filter=status:is:lead&filter=ownerId:is:m1" });
  await screen.findAllByRole("link", { name: "Ana López" });
  expect(query()).toEqual(["filter=status:is:lead", "filter=ownerId:is:m1", "sort=name", "limit=50"]);
  await userEvent.type(screen.getByRole("searchbox", { name: "Search customers" }), "ana");
  await waitFor(() => expect(router.state.location.search).toContain("q=ana"));
  await userEvent.click(screen.getByRole("button", { name: "Name" }));
  await waitFor(() => expect(asked()?.get("sort")).toBe("-name"));
  expect(asked()?.get("q")).toBe("ana");
  await userEvent.click(screen.getByRole("button", { name: "Clear filter Status" }));
  await waitFor(() => expect(asked()?.getAll("filter")).toEqual(["ownerId:is:m1"]));
  expect(router.state.location.search).not.toContain("status");
});

test("older links filter the list, and values that are not allowed do not reach the server", async () => {
  const { router } = renderApp(<CustomersPage />, { path: "/customers?status=former&owner=a/b&sort=notes&cursor=%20&page=x&tag=a%2Cb" });
  await screen.findAllByRole("link", { name: "Ana López" });
  // A status that was removed since is the server's to know.
  expect(query()).toEqual(["filter=status:is:former", "filter=tags:is:a\\,b", "sort=name", "limit=50"]);
  expect(screen.getByRole("button", { name: "Tags is a,b" })).toBeVisible();
  expect(await screen.findByRole("button", { name: "Status is (removed)" })).toBeVisible();
  await userEvent.click(screen.getByRole("button", { name: "Clear filter Unavailable filter" }));
  const left = ["status:is:former", "tags:is:a\\,b"];
  await waitFor(() => expect(new URLSearchParams(router.state.location.search).getAll("filter").sort()).toEqual(left.sort()));
  expect(router.state.location.search).not.toContain("owner");
});

test("a press on a tag adds it to the filters", async () => {
  const { router } = renderApp(<CustomersPage />, { path: "/customers?filter=status:is:active&columns=tags" });
  const [first] = await screen.findAllByRole("button", { name: "eu" });
  await userEvent.click(first as HTMLElement);
  await waitFor(() => expect(asked()?.getAll("filter")).toEqual(["status:is:active", "tags:is:eu"]));
  expect(router.state.location.pathname).toBe("/customers");
  expect(screen.getByRole("button", { name: "Tags is eu" })).toBeVisible();
});

test("statuses have the company's names and order; one that is being replaced can only be filtered by", async () => {
  const status = (id: string, name: string) => ({ id, name, color: "teal" as const, customers: 1 });
  const register = [status("active", "Customer"), status("s2", "Partner"), { ...status("lead", "Old lead"), replacedBy: "s2" }];
  server.on("GET /api/customers/statuses", () => ({ version: 2, statuses: register }));
  renderApp(<CustomersPage />, { path: "/customers?columns=status" });
  expect((await screen.findAllByRole("cell", { name: "Customer" }))[0]).toBeVisible();
  await userEvent.click(screen.getByRole("button", { name: "Filter by Status" }));
  const offered = await within(await screen.findByRole("dialog")).findAllByRole("checkbox");
  expect(offered.map((box) => box.closest("label")?.textContent)).toEqual(["Customer", "Partner", "Old lead"]);
  await userEvent.keyboard("{Escape}");
  await userEvent.click(screen.getByRole("checkbox", { name: "Select Ana López" }));
  await userEvent.click(screen.getByRole("button", { name: "Change…" }));
  const [, value] = await within(await screen.findByRole("dialog")).findAllByRole("button", { name: /Status/ });
  await userEvent.click(value as HTMLElement);
  expect((await screen.findAllByRole("option")).map((option) => option.textContent)).toEqual(["Customer", "Partner"]);
});

test("a custom field is a column and a filter of the list", async () => {
  server.on("GET /api/fields", () => ({
    items: [
      { id: "f1", version: 1, kind: "customers", key: "seats", name: "Seats", type: "number", choices: [], createdAt: "", updatedAt: "" },
    ],
    total: 1,
  }));
  server.on("GET /api/customers", () => ({ items: [{ ...make("c1", "Ana López"), fields: { seats: 1250 } }], total: 1 }));
  renderApp(<CustomersPage />, { path: "/customers?filter=fields.seats:gte:1000&columns=fields.seats,company&sort=-fields.seats" });
  expect(await screen.findByRole("button", { name: "Seats is at least 1,000" })).toBeVisible();
  expect(query()).toEqual(["filter=fields.seats:gte:1000", "sort=-fields.seats", "limit=50"]);
  expect((await screen.findAllByRole("columnheader")).map((head) => head.textContent)).toEqual(["Name", "Seats", "Company"]);
  expect(screen.getByRole("cell", { name: "1,250" })).toBeVisible();
  // On a phone, the columns are lines of the card.
  await setWidth(390);
  expect(screen.getByRole("list", { name: "Customers" })).toHaveTextContent("Seats1,250Company");
});

test("the company in a row leads to the organization", async () => {
  const linked = { ...make("c1", "Ana López"), organizationId: "o1", details: { company: "Acme Ltd", emails: [], phoneNumbers: [] } };
  server.on("GET /api/customers", () => ({ items: [linked], total: 1 }));
  const { router } = renderApp(<CustomersPage />, { path: "/customers?columns=company" });
  await userEvent.click(await screen.findByRole("link", { name: "Acme Ltd" }));
  expect(router.state.location.pathname).toBe("/customers/organizations/o1");
});

test("a birthday is a column, also without a year", async () => {
  const born = (id: string, name: string, birthday: string) => ({ ...make(id, name), details: { birthday, emails: [], phoneNumbers: [] } });
  const items = [born("c1", "Ana López", "1990-05-04"), born("c2", "Hollis Reed", "--02-29")];
  server.on("GET /api/customers", () => ({ items, total: 2 }));
  await setWidth(1440);
  renderApp(<CustomersPage />, { path: "/customers?columns=birthday" });
  expect(await screen.findByRole("cell", { name: "May 4, 1990" })).toBeVisible();
  expect(screen.getByRole("cell", { name: "Feb 29" })).toBeVisible();
});

test("the last contact and the next step are columns; the next step leads to its task", async () => {
  const [late, none] = [make("c1", "Ana López"), make("c2", "Hollis Reed")];
  const items = [{ ...late, lastContactAt: new Date().toISOString(), nextStep: { taskId: "t1", dueDate: "2020-01-02" } }, none];
  server.on("GET /api/customers", () => ({ items, total: 2 }));
  await setWidth(1440);
  renderApp(<CustomersPage />, { path: "/customers?filter=nextStepDay:lte:today-1&sort=lastContactAt" });
  const step = await screen.findByRole("link", { name: "Jan 2, 2020 (overdue)" });
  expect(step).toHaveAttribute("href", "/tasks/t1");
  expect(query()).toEqual(["filter=nextStepDay:lte:today-1", "sort=lastContactAt", "limit=50"]);
  expect(screen.getByRole("button", { name: "Next step is before today" })).toBeVisible();
  expect(screen.getByRole("columnheader", { name: "Last contact" })).toHaveAttribute("aria-sort", "ascending");
  // Only who may comment logs.
  expect(screen.queryByRole("button", { name: "Log activity with Ana López" })).toBeNull();
});

test("the organization of the selected customers is set together", async () => {
  server.on("GET /api/organizations", () => ({ items: [{ id: "o1", name: "Acme Ltd" }], total: 1 }));
  server.on("GET /api/organizations/o1", () => ({ id: "o1", name: "Acme Ltd" }));
  const done = {
    id: "b1",
    kind: "customers",
    state: "done",
    remove: false,
    total: 1,
    done: 1,
    changed: 1,
    skipped: 0,
    skips: [],
    undone: 0,
    undoSkipped: 0,
    undoSkips: [],
  };
  server.on("POST /api/bulk", () => new Answer(202, { ...done, createdAt: "2026-11-01T10:00:00Z" }));
  renderApp(<CustomersPage />, { path: "/customers?filter=organizationId:is:o1" });
  expect(await screen.findByRole("button", { name: "Organization is Acme Ltd" })).toBeVisible();
  await userEvent.click(await screen.findByRole("checkbox", { name: "Select Ana López" }));
  await userEvent.click(screen.getByRole("button", { name: "Change…" }));
  await userEvent.click(screen.getByRole("button", { name: /Field$/ }));
  await userEvent.click(screen.getByRole("option", { name: "Organization" }));
  await userEvent.click(screen.getByRole("combobox", { name: "Organization" }));
  await userEvent.click(await screen.findByRole("option", { name: "Acme Ltd" }));
  await userEvent.click(screen.getByRole("button", { name: "Apply" }));
  await waitFor(() => expect(server.sent("POST /api/bulk")).toHaveLength(1));
  expect(server.sent("POST /api/bulk")[0]?.body).toEqual({ kind: "customers", ids: ["c1"], change: { organizationId: "o1" } });
});

test("requests the next page by its cursor, and returns to the previous page", async () => {
  renderApp(<CustomersPage />, { path: "/customers" });
  await screen.findAllByRole("link", { name: "Ana López" });
  expect(screen.getByText("1–2 of 120")).toBeVisible();
  await userEvent.click(screen.getByRole("button", { name: "Next" }));
  await waitFor(() => expect(asked()?.get("cursor")).toBe("abc"));
  expect(await screen.findByText("51–52 of 120")).toBeVisible();
  await userEvent.click(screen.getByRole("button", { name: "Previous" }));
  expect(await screen.findByText("1–2 of 120")).toBeVisible();
});

test("j and k move between the rows, and n opens the form for a new customer", async () => {
  const { router } = renderApp(<CustomersPage />, { path: "/customers" });
  const [row] = await screen.findAllByRole("link", { name: "Ana López" });
  // This environment has no layout: every row counts as visible.
  for (const link of document.querySelectorAll("[data-row]")) link.getClientRects = () => [new DOMRect()] as unknown as DOMRectList;
  await userEvent.keyboard("j");
  expect(row).toHaveFocus();
  await userEvent.keyboard("j");
  expect(screen.getAllByRole("link", { name: "Hollis Reed" })[0]).toHaveFocus();
  await userEvent.keyboard("k");
  expect(row).toHaveFocus();
  await userEvent.keyboard("n");
  expect(router.state.location.pathname).toBe("/customers/new");
});

test("an empty list offers to add a customer only with the permission", async () => {
  server.on("GET /api/customers", () => ({ items: [], total: 0 }));
  const { unmount } = renderApp(<CustomersPage />, { path: "/customers" });
  expect(await screen.findByText("No customers yet")).toBeVisible();
  expect(screen.getAllByRole("link", { name: "Add customer" })).toHaveLength(2);
  unmount();
  signIn([]);
  renderApp(<CustomersPage />, { path: "/customers" });
  await screen.findByText("No customers yet");
  expect(screen.queryByRole("link", { name: "Add customer" })).toBeNull();
});

test("shows an error, and can try again", async () => {
  server.on("GET /api/customers", () => new Answer(403, { error: { code: "forbidden", message: "Not for you." } }));
  renderApp(<CustomersPage />, { path: "/customers" });
  expect(await screen.findByText("Not for you.")).toBeVisible();
  server.on("GET /api/customers", () => ({ items: [make("c1", "Ana López")], total: 1 }));
  await userEvent.click(screen.getByRole("button", { name: "Try again" }));
  expect((await screen.findAllByRole("link", { name: "Ana López" })).length).toBeGreaterThan(0);
});

test("records are imported from the menu and from the empty list, by members who may add some", async () => {
  const first = renderApp(<CustomersPage />, { path: "/customers" });
  await userEvent.click(await screen.findByRole("button", { name: "More actions" }));
  expect(await screen.findByRole("menuitem", { name: "Print" })).toBeVisible();
  await userEvent.click(screen.getByRole("menuitem", { name: "Import…" }));
  await waitFor(() => expect(first.router.state.location.search).toBe("?kind=customers"));
  expect(first.router.state.location.pathname).toBe("/imports/new");
  first.unmount();
  server.on("GET /api/customers", () => ({ items: [], total: 0 }));
  const empty = renderApp(<CustomersPage />, { path: "/customers" });
  expect(await screen.findByRole("link", { name: "Import…" })).toHaveAttribute("href", "/imports/new?kind=customers");
  empty.unmount();
  signIn([]);
  renderApp(<CustomersPage />, { path: "/customers" });
  await screen.findByText("No customers yet");
  expect(screen.queryByRole("link", { name: "Import…" })).toBeNull();
  await userEvent.click(screen.getByRole("button", { name: "More actions" }));
  await screen.findByRole("menuitem", { name: "Print" });
  expect(screen.queryByRole("menuitem", { name: "Import…" })).toBeNull();
});
