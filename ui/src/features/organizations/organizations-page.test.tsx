import { act, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { Route, Routes } from "react-router";
import { beforeEach, expect, test } from "vitest";
import type { Organization } from "@/api/schema";
import { accept } from "@/api/session";
import { Toaster } from "@/components/toaster";
import { queryKeysOf } from "@/records/kinds";
import { mira, signedIn } from "@/test/people";
import { renderApp } from "@/test/render";
import { Answer, standInServer } from "@/test/server";
import { NewOrganizationDrawer, OrganizationDrawer } from "./organization-drawer";
import { OrganizationsPage } from "./organizations-page";

const server = standInServer();
const make = (id: string, name: string): Organization => ({
  id,
  name,
  version: 1,
  createdAt: "2026-11-01T10:00:00Z",
  updatedAt: "2026-11-01T10:00:00Z",
  tags: ["supplier"],
  emails: [{ email: "info@acme.example", label: "Work" }],
  phoneNumbers: [{ country: "GB", phoneNumber: "020 7946 0018", label: "" }],
  address: "1 High Street\nLeeds",
  fields: {},
});

const signIn = (permissions: string[]) => accept({ ...signedIn(), user: { ...mira, permissions } });
const writer = ["customers.read", "customers.write", "organizations.read", "organizations.write"];
const companies = {
  total: 3,
  known: 1,
  customers: 9,
  found: 3,
  items: [
    { name: "Acme", customers: 5, organizationId: "o1" },
    { name: "Gamma", customers: 3 },
    { name: "Self-employed", customers: 1 },
  ],
};
const change = {
  id: "b1",
  kind: "customers",
  state: "done",
  createdAt: "2026-11-01T10:00:00Z",
  remove: false,
  total: 8,
  done: 8,
  changed: 8,
  skipped: 0,
  skips: [],
  undone: 0,
  undoSkipped: 0,
  undoSkips: [],
};

beforeEach(() => {
  signIn(["customers.read", "organizations.read", "organizations.write"]);
  server.on("GET /api/team", () => ({ items: [], total: 0 }));
  server.on("GET /api/team/former", () => ({ items: [] }));
  server.on("GET /api/organizations", () => ({ items: [make("o1", "Acme Ltd"), make("o2", "Beta")], total: 2 }));
});

test("lists organizations beside the people, with the address of each", async () => {
  renderApp(<OrganizationsPage />, { path: "/customers/organizations?filter=tags:is:supplier" });
  const [first] = await screen.findAllByRole("link", { name: "Acme Ltd" });
  expect(first).toHaveAttribute("href", "/customers/organizations/o1?filter=tags%3Ais%3Asupplier");
  expect(screen.getAllByText("Leeds")[0]).toBeVisible();
  expect(screen.getByRole("link", { name: "People" })).toHaveAttribute("href", "/customers");
  expect(server.sent("GET /api/organizations")[0]?.query.getAll("filter")).toEqual(["tags:is:supplier"]);
});

test("organizations of companies are offered above the whole list only", async () => {
  signIn(writer);
  server.on("GET /api/customers/companies", () => companies);
  const { router } = renderApp(<OrganizationsPage />, { path: "/customers/organizations" });
  expect(await screen.findByRole("button", { name: "Create from companies" })).toBeVisible();
  await act(() => router.navigate("/customers/organizations?q=acme"));
  await waitFor(() => expect(screen.queryByRole("button", { name: "Create from companies" })).toBeNull());
  await act(() => router.navigate("/customers/organizations?filter=tags:is:supplier"));
  await waitFor(() => expect(server.sent("GET /api/organizations").at(-1)?.query.get("filter")).toBe("tags:is:supplier"));
  expect(screen.queryByRole("button", { name: "Create from companies" })).toBeNull();
});

test("a new organization has what was typed, and the one who adds it as owner", async () => {
  server.on("POST /api/organizations", () => new Answer(201, make("o3", "Gamma")));
  server.on("GET /api/fields", () => ({ items: [] }));
  renderApp(
    <Routes>
      <Route path="/customers/organizations/new" element={<NewOrganizationDrawer />} />
      <Route path="*" element={null} />
    </Routes>,
    { path: "/customers/organizations/new" },
  );
  await userEvent.type(await screen.findByLabelText(/^Name/), "Gamma");
  await userEvent.type(screen.getByLabelText("Website"), "gamma.example");
  await userEvent.type(screen.getByLabelText("Email address 1"), "info@gamma.example");
  await userEvent.click(screen.getByRole("button", { name: "Add organization" }));
  await waitFor(() => expect(server.sent("POST /api/organizations")).toHaveLength(1));
  expect(server.sent("POST /api/organizations")[0]?.body).toMatchObject({
    name: "Gamma",
    website: "gamma.example",
    emails: [{ email: "info@gamma.example", label: "" }],
    phoneNumbers: [],
    ownerId: mira.id,
  });
});

test("companies of customers become organizations, except those that are not ticked, and it can be undone", async () => {
  signIn(writer);
  server.on("GET /api/customers/companies", () => companies);
  server.on("POST /api/customers/companies/organizations", () => new Answer(202, change));
  server.on("POST /api/bulk/b1/undo", () => new Answer(202, { ...change, state: "undone", undone: 8 }));
  renderApp(
    <>
      <OrganizationsPage />
      <Toaster />
    </>,
    { path: "/customers/organizations" },
  );
  await userEvent.click(await screen.findByRole("button", { name: "Create from companies" }));
  const dialog = within(await screen.findByRole("dialog", { name: "Create organizations from 3 companies" }));
  expect(dialog.getByText("9 people will belong to an organization. 1 of the companies already exists as an organization.")).toBeVisible();
  expect(dialog.getByRole("checkbox", { name: "Acme 5 people · exists" })).toBeChecked();
  expect(dialog.queryByRole("searchbox")).toBeNull();
  await userEvent.click(dialog.getByRole("checkbox", { name: "All companies" }));
  expect(dialog.getByRole("button", { name: "Create organizations" })).toBeDisabled();
  await userEvent.click(dialog.getByRole("checkbox", { name: "All companies" }));
  await userEvent.click(dialog.getByRole("checkbox", { name: "Self-employed 1 person" }));
  expect(dialog.getByText("8 people will belong to an organization. 1 of the companies already exists as an organization.")).toBeVisible();
  await userEvent.click(dialog.getByRole("button", { name: "Create organizations" }));
  expect(await screen.findByText("8 people now belong to an organization.")).toBeVisible();
  expect(server.sent("POST /api/customers/companies/organizations")[0]?.body).toEqual({ except: ["Self-employed"] });
  expect(screen.queryByRole("dialog")).toBeNull();
  await userEvent.click(screen.getByRole("button", { name: /^Undo/ }));
  expect(await screen.findByText("8 records are as before.")).toBeVisible();
});

test("organizations are made of companies only where there are some, by those who may write both kinds", async () => {
  signIn(writer);
  server.on("GET /api/organizations", () => ({ items: [], total: 0 }));
  server.on("GET /api/customers/companies", () => companies);
  const { unmount } = renderApp(<OrganizationsPage />, { path: "/customers/organizations" });
  // At the top, and in the middle of the empty list.
  await waitFor(() => expect(screen.getAllByRole("button", { name: "Create from companies" })).toHaveLength(2));
  unmount();
  server.on("GET /api/customers/companies", () => ({ total: 0, known: 0, customers: 0, found: 0, items: [] }));
  const empty = renderApp(<OrganizationsPage />, { path: "/customers/organizations" });
  await screen.findByText("No organizations yet");
  await waitFor(() => expect(server.sent("GET /api/customers/companies")).toHaveLength(2));
  expect(screen.queryByRole("button", { name: "Create from companies" })).toBeNull();
  empty.unmount();
  signIn(writer.filter((right) => right !== "customers.write"));
  renderApp(<OrganizationsPage />, { path: "/customers/organizations" });
  await screen.findByText("No organizations yet");
  expect(server.sent("GET /api/customers/companies")).toHaveLength(2);
});

/** Serves 730 companies in pages of 100, searched by what their names contain, and the change that is begun. */
function serveMany() {
  signIn(writer);
  const all = Array.from({ length: 730 }, (_, at) => ({ name: `Firm ${at}`, customers: 2 }));
  server.on("GET /api/customers/companies", ({ query }) => {
    const found = all.filter(({ name }) => name.includes(query.get("q") ?? ""));
    const from = Number(query.get("cursor") ?? 0);
    const to = from + Number(query.get("limit"));
    const next = to < found.length && { nextCursor: String(to) };
    return { total: 730, known: 0, customers: 1460, found: found.length, items: found.slice(from, to), ...next };
  });
  server.on("POST /api/customers/companies/organizations", () => new Answer(202, change));
}
const openCompanies = async () => {
  renderApp(<OrganizationsPage />, { path: "/customers/organizations" });
  await userEvent.click(await screen.findByRole("button", { name: "Create from companies" }));
  return within(await screen.findByRole("dialog", { name: "Create organizations from 730 companies" }));
};
const made = () => server.sent("POST /api/customers/companies/organizations").map(({ body }) => body);

test("of many companies, those further down and those found by words are excepted", async () => {
  serveMany();
  const dialog = await openCompanies();
  expect(dialog.getAllByRole("checkbox")).toHaveLength(101);
  await userEvent.click(dialog.getByRole("button", { name: "Show more" }));
  await userEvent.click(await dialog.findByRole("checkbox", { name: /^Firm 150 / }));
  const search = dialog.getByRole("searchbox", { name: "Search companies" });
  await userEvent.type(search, "Firm 72{Enter}");
  expect(await dialog.findByText("11 companies found")).toBeVisible();
  // Enter in the search begins nothing.
  expect(made()).toEqual([]);
  await userEvent.click(dialog.getByRole("checkbox", { name: /^Firm 729 / }));
  expect(dialog.getByText("1,456 people will belong to an organization.")).toBeVisible();
  await userEvent.clear(search);
  expect(await dialog.findByRole("checkbox", { name: /^Firm 150 / })).not.toBeChecked();
  await userEvent.click(dialog.getByRole("button", { name: "Create organizations" }));
  await waitFor(() => expect(made()).toEqual([{ except: ["Firm 150", "Firm 729"] }]));
});

test("only some of many companies are chosen", async () => {
  serveMany();
  const dialog = await openCompanies();
  await userEvent.click(dialog.getByRole("checkbox", { name: "All companies" }));
  expect(dialog.getByRole("button", { name: "Create organizations" })).toBeDisabled();
  await userEvent.click(dialog.getByRole("checkbox", { name: /^Firm 3 / }));
  expect(screen.getByRole("dialog", { name: "Create an organization from 1 company" })).toBeVisible();
  expect(dialog.getByRole("checkbox", { name: "All companies" })).toBePartiallyChecked();
  const list = dialog.getByText("Firm 3").closest("[aria-busy]");
  expect(list).toHaveAttribute("aria-busy", "false");
  await userEvent.type(dialog.getByRole("searchbox"), "Firm 7");
  // The companies of the former words cannot be chosen any more.
  expect(list).toHaveAttribute("aria-busy", "true");
  expect(list).toHaveAttribute("inert");
  await dialog.findByText("41 companies found");
  expect(list).not.toHaveAttribute("inert");
  await userEvent.click(dialog.getByRole("checkbox", { name: /^Firm 7 / }));
  await userEvent.click(dialog.getByRole("button", { name: "Create organizations" }));
  await waitFor(() => expect(made()).toEqual([{ only: ["Firm 3", "Firm 7"] }]));
});

test("an organization shows its people, with the way to all of them and to a new one", async () => {
  signIn(writer);
  const person = (at: number) => ({
    id: `c${at}`,
    name: `Person ${at}`,
    version: 1,
    details: { title: "Buyer", emails: [], phoneNumbers: [] },
  });
  server.on("GET /api/organizations/o1", () => make("o1", "Acme Ltd"));
  server.on("GET /api/customers", () => ({ items: Array.from({ length: 10 }, (_, at) => person(at)), total: 24 }));
  for (const part of ["files", "timeline"]) server.on(`GET /api/organizations/o1/${part}`, () => ({ items: [], total: 0 }));
  const { client } = renderApp(
    <Routes>
      <Route path="/customers/organizations/:id" element={<OrganizationDrawer />} />
    </Routes>,
    { path: "/customers/organizations/o1" },
  );
  const people = within(await screen.findByRole("region", { name: "People" }));
  const [first] = await people.findAllByRole("link", { name: /Person/ });
  expect(first).toHaveTextContent("Person 0Buyer");
  expect(first).toHaveAttribute("href", "/customers/c0");
  expect(people.getByRole("link", { name: "Add person" })).toHaveAttribute("href", "/customers/new?organization=o1");
  expect(people.getByRole("link", { name: "Show all 24" })).toHaveAttribute("href", "/customers?filter=organizationId%3Ais%3Ao1");
  const asked = server.sent("GET /api/customers")[0]?.query;
  expect([...(asked ?? [])].map((pair) => pair.join("="))).toEqual(["filter=organizationId:is:o1", "sort=name", "limit=10"]);
  // A change of a customer reads them again.
  server.on("GET /api/customers", () => ({ items: [], total: 0 }));
  for (const queryKey of queryKeysOf("customer")) void client.invalidateQueries({ queryKey });
  expect(await people.findByText("No people yet.")).toBeVisible();
});
