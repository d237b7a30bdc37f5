import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { Route, Routes } from "react-router";
import { beforeEach, expect, test } from "vitest";
import type { Customer, User } from "@/api/schema";
import { accept } from "@/api/session";
import { useToasts } from "@/lib/toast";
import { mira, signedIn } from "@/test/people";
import { renderApp } from "@/test/render";
import { Answer, standInServer } from "@/test/server";
import { CustomerDrawer, NewCustomerDrawer } from "./customer-drawer";

const server = standInServer();
const hollis: Customer = {
  id: "c1",
  name: "Hollis Reed",
  version: 3,
  createdAt: "2026-11-01T10:00:00Z",
  updatedAt: "2026-11-01T10:00:00Z",
  status: "active",
  tags: [],
  organizationId: "o1",
  details: { company: "Acme Ltd", emails: [], phoneNumbers: [] },
  attachments: { media: [], docs: [], links: [] },
  fields: {},
};
const organization = (id: string, name: string) => ({ id, name, version: 1, tags: [], emails: [], phoneNumbers: [], fields: {} });
const show = (path: string, permissions: string[] = ["customers.write", "organizations.read", "organizations.write"]) => {
  accept({ ...signedIn(), user: { ...mira, permissions: permissions as User["permissions"] } });
  return renderApp(
    <Routes>
      <Route path="customers/new" element={<NewCustomerDrawer />} />
      <Route path="customers/:id" element={<CustomerDrawer />} />
      <Route path="*" element={null} />
    </Routes>,
    { path },
  );
};
const field = () => screen.findByRole("combobox", { name: "Company" });
const edit = async () => userEvent.click(await screen.findByRole("button", { name: "Edit" }));
const save = () => userEvent.click(screen.getByRole("button", { name: "Save" }));
const add = () => userEvent.click(screen.getByRole("button", { name: "Add customer" }));
const changed = async () => {
  await waitFor(() => expect(server.sent("PATCH /api/customers/c1")).toHaveLength(1));
  return server.sent("PATCH /api/customers/c1")[0]?.body as Pick<Customer, "organizationId" | "details">;
};
const created = async () => {
  await waitFor(() => expect(server.sent("POST /api/customers")).toHaveLength(1));
  return server.sent("POST /api/customers")[0]?.body as Pick<Customer, "organizationId" | "details">;
};

beforeEach(() => {
  sessionStorage.clear();
  for (const route of ["team", "tasks"]) server.on(`GET /api/${route}`, () => ({ items: [], total: 0 }));
  server.on("GET /api/team/former", () => ({ items: [] }));
  server.on("GET /api/dashboards/analytics", () => ({ customers: { byTag: [] } }));
  server.on("GET /api/organizations", () => ({ items: [organization("o1", "Acme Ltd"), organization("o2", "Acme Labs")], total: 2 }));
  server.on("GET /api/organizations/o1", () => organization("o1", "Acme Ltd"));
  server.on("GET /api/organizations/o2", () => organization("o2", "Acme Labs"));
  server.on("GET /api/customers/c1", () => hollis);
  server.on("PATCH /api/customers/c1", () => ({ ...hollis, version: 4 }));
  server.on("POST /api/customers", () => new Answer(201, hollis));
  for (const part of ["files", "timeline"]) server.on(`GET /api/customers/c1/${part}`, () => ({ items: [], total: 0 }));
});

test("an organization that is chosen is sent by its id alone, by keyboard", async () => {
  show("/customers/new");
  await userEvent.type(await screen.findByLabelText(/^Name/), "Hollis Reed");
  await userEvent.type(await field(), "acme");
  await screen.findByRole("option", { name: "Acme Labs" });
  await userEvent.keyboard("{ArrowDown}{ArrowDown}{Enter}");
  expect(await field()).toHaveValue("Acme Labs");
  expect(await field()).toHaveAccessibleDescription("Linked to an organization.");
  expect(screen.queryByRole("listbox")).toBeNull();
  await add();
  const { organizationId, details } = await created();
  expect(organizationId).toBe("o2");
  expect(details).not.toHaveProperty("company");
});

test("a text that is typed without a choice stays a text", async () => {
  show("/customers/new");
  await userEvent.type(await screen.findByLabelText(/^Name/), "Hollis Reed");
  await userEvent.type(await field(), "Acme");
  await screen.findByRole("option", { name: "Acme Ltd" });
  await userEvent.tab();
  expect(await field()).toHaveValue("Acme");
  await add();
  const { organizationId, details } = await created();
  expect(organizationId).toBeNull();
  expect(details.company).toBe("Acme");
});

test("the name of one organization in another spelling is linked when the field is left", async () => {
  show("/customers/new");
  await userEvent.type(await screen.findByLabelText(/^Name/), "Hollis Reed");
  await userEvent.type(await field(), " ácme  LTD ");
  await userEvent.tab();
  await waitFor(async () => expect(await field()).toHaveAccessibleDescription("Linked to an organization."));
  expect(await field()).toHaveValue("Acme Ltd");
  expect(screen.getByRole("button", { name: "Clear company" })).toBeVisible();
  expect(server.sent("GET /api/organizations").map(({ query }) => query.get("filter"))).toContain("name:is:ácme LTD");
  await add();
  const { organizationId, details } = await created();
  expect(organizationId).toBe("o1");
  expect(details).not.toHaveProperty("company");
});

test("the name of one organization is linked by a save that does not leave the field", async () => {
  show("/customers/new");
  await userEvent.type(await screen.findByLabelText(/^Name/), "Hollis Reed");
  await userEvent.type(await field(), "acme labs{Enter}{Enter}");
  expect((await created()).organizationId).toBe("o2");
});

test("of several organizations with the name none is taken, and the field says so", async () => {
  const items = [
    { ...organization("o1", "Acme Ltd"), website: "https://acme.example" },
    { ...organization("o3", "ACME LTD"), address: "1 Hill Rd" },
  ];
  server.on("GET /api/organizations", () => ({ items, total: 2 }));
  show("/customers/new");
  await userEvent.type(await screen.findByLabelText(/^Name/), "Hollis Reed");
  await userEvent.type(await field(), "acme ltd");
  // What else is known of them distinguishes the two.
  expect(await screen.findByRole("option", { name: /https:\/\/acme\.example/ })).toBeVisible();
  expect(screen.getByRole("option", { name: /1 Hill Rd/ })).toBeVisible();
  const text = "Several organizations have this name. Choose one, or leave it as text.";
  expect(await screen.findByText(text)).toBeVisible();
  await userEvent.tab();
  expect(await field()).toHaveValue("acme ltd");
  expect(await field()).toHaveAccessibleDescription(text);
  await add();
  expect(await created()).toMatchObject({ organizationId: null, details: { company: "acme ltd" } });
});

test("a text that was there before stays one until it is typed anew", async () => {
  server.on("GET /api/customers/c1", () => ({ ...hollis, organizationId: undefined }));
  show("/customers/c1");
  await edit();
  await userEvent.click(await field());
  await userEvent.tab();
  await userEvent.type(screen.getByLabelText("Job title"), "Buyer");
  await save();
  expect(await changed()).toMatchObject({ organizationId: null, details: { company: "Acme Ltd" } });
});

test("a new organization is created with its customer, and not before", async () => {
  server.on("GET /api/organizations", () => ({ items: [], total: 0 }));
  show("/customers/new");
  await userEvent.type(await screen.findByLabelText(/^Name/), "Hollis Reed");
  await userEvent.type(await field(), "Gamma");
  await userEvent.click(await screen.findByRole("option", { name: "New organization “Gamma”" }));
  expect(await field()).toHaveValue("Gamma");
  expect(await field()).toHaveAccessibleDescription("Created as an organization when you save.");
  expect(screen.queryByRole("listbox")).toBeNull();
  // Another text is a text again.
  await userEvent.type(await field(), " SL");
  expect(await field()).not.toHaveAccessibleDescription();
  await userEvent.click(await screen.findByRole("option", { name: "New organization “Gamma SL”" }));
  await add();
  const body = await created();
  expect(body).toMatchObject({ organizationId: null, newOrganization: true, details: { company: "Gamma SL" } });
  expect(server.sent("POST /api/organizations")).toHaveLength(0);
});

test("a new organization of a form that is left is not created", async () => {
  server.on("GET /api/organizations", () => ({ items: [], total: 0 }));
  show("/customers/new");
  await userEvent.type(await field(), "Gamma");
  await screen.findByRole("option", { name: "New organization “Gamma”" });
  await userEvent.keyboard("{ArrowDown}{Enter}");
  expect(await field()).toHaveAccessibleDescription("Created as an organization when you save.");
  await userEvent.click(screen.getByRole("button", { name: "Clear company" }));
  expect(await field()).toHaveValue("");
  await userEvent.type(await field(), "Delta");
  await userEvent.click(await screen.findByRole("option", { name: "New organization “Delta”" }));
  await userEvent.click(screen.getByRole("button", { name: "Cancel" }));
  await userEvent.click(await screen.findByRole("button", { name: "Discard" }));
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  expect([...server.sent("POST /api/organizations"), ...server.sent("POST /api/customers")]).toHaveLength(0);
});

test("the names of companies in use are suggested as texts, once each and below the organizations", async () => {
  const named = (company: string) => ({ ...hollis, organizationId: undefined, details: { ...hollis.details, company } });
  server.on("GET /api/customers", () => ({ items: ["Acme Bakery", "acme bakery", "ACME LTD", "Acme, Sons"].map(named), total: 4 }));
  show("/customers/new", ["customers.read", "customers.write", "organizations.read", "organizations.write"]);
  await userEvent.type(await screen.findByLabelText(/^Name/), "Hollis Reed");
  await userEvent.type(await field(), "acme");
  await screen.findByRole("option", { name: /^Acme Bakery/ });
  expect(screen.getAllByRole("option").map(({ textContent }) => textContent)).toEqual([
    "Acme Ltd",
    "Acme Labs",
    "Acme BakeryNot an organization yet",
    "Acme, SonsNot an organization yet",
    "New organization “acme”",
  ]);
  expect(server.sent("GET /api/customers").at(-1)?.query.getAll("filter")).toEqual(["company:contains:acme", "organizationId:empty"]);
  await userEvent.click(screen.getByRole("option", { name: /^Acme Bakery/ }));
  expect(await field()).toHaveValue("Acme Bakery");
  expect(await field()).not.toHaveAccessibleDescription();
  await add();
  const body = await created();
  expect(body).toMatchObject({ organizationId: null, details: { company: "Acme Bakery" } });
  expect(body).not.toHaveProperty("newOrganization");
});

test("only who may add organizations is offered a new one, and an existing name is not offered again", async () => {
  const { unmount } = show("/customers/new");
  await userEvent.type(await field(), "acme ltd");
  await screen.findByRole("option", { name: "Acme Ltd" });
  expect(screen.getAllByRole("option")).toHaveLength(1);
  unmount();
  sessionStorage.clear();
  show("/customers/new", ["customers.write", "organizations.read"]);
  await userEvent.type(await field(), "Gamma");
  expect(await screen.findByText("“Gamma” is saved as text.")).toBeVisible();
});

test("a linked company is kept by an unchanged form, whatever its name is now", async () => {
  server.on("GET /api/organizations/o1", () => organization("o1", "Acme SL"));
  show("/customers/c1");
  await edit();
  await waitFor(async () => expect(await field()).toHaveValue("Acme SL"));
  await userEvent.type(screen.getByLabelText("Job title"), "Buyer");
  await save();
  const { organizationId, details } = await changed();
  expect(organizationId).toBe("o1");
  expect(details).toMatchObject({ title: "Buyer" });
  expect(details).not.toHaveProperty("company");
});

test("a linked company is cleared, with its name", async () => {
  show("/customers/c1");
  await edit();
  await field();
  await userEvent.click(screen.getByRole("button", { name: "Clear company" }));
  expect(await field()).toHaveFocus();
  expect(await field()).toHaveValue("");
  await save();
  const { organizationId, details } = await changed();
  expect(organizationId).toBeNull();
  expect(details.company).toBeNull();
});

test("a text that is typed over a linked company replaces it, and Escape in the list restores it", async () => {
  show("/customers/c1");
  await edit();
  await userEvent.type(await field(), " SL");
  expect(await field()).not.toHaveAccessibleDescription();
  await userEvent.keyboard("{Escape}");
  expect(await field()).toHaveValue("Acme Ltd");
  expect(await field()).toHaveAccessibleDescription("Linked to an organization.");
  expect(screen.getByRole("dialog")).toBeVisible();
  await userEvent.type(await field(), " SL");
  await userEvent.tab();
  await save();
  const { organizationId, details } = await changed();
  expect(organizationId).toBeNull();
  expect(details.company).toBe("Acme Ltd SL");
});

test("what the server says of the organization is at the field of the company", async () => {
  const fields = { organizationId: "It does not exist." };
  server.on("PATCH /api/customers/c1", () => new Answer(422, { error: { code: "invalid", message: "Check these.", fields } }));
  show("/customers/c1");
  await edit();
  await field();
  await save();
  await waitFor(async () => expect(await field()).toHaveAccessibleDescription(expect.stringContaining("It does not exist.")));
  expect(await field()).toBeInvalid();
});

test("the form of a new person begins with the organization of the address", async () => {
  const { router } = show("/customers/new?organization=o2");
  await userEvent.type(await screen.findByLabelText(/^Name/), "Hollis Reed");
  await waitFor(async () => expect(await field()).toHaveValue("Acme Labs"));
  await add();
  expect((await created()).organizationId).toBe("o2");
  await waitFor(() => expect(router.state.location.pathname).toBe("/customers/c1"));
  expect(router.state.location.search).toBe("");
});

test("the fact is a link to the organization, and is changed where it stands", async () => {
  show("/customers/c1");
  expect(await screen.findByRole("link", { name: "Acme Ltd" })).toHaveAttribute("href", "/customers/organizations/o1");
  await userEvent.click(screen.getByRole("button", { name: "Change company" }));
  await userEvent.clear(await field());
  await userEvent.keyboard("labs");
  await userEvent.click(await screen.findByRole("option", { name: "Acme Labs" }));
  expect(await screen.findByRole("link", { name: "Acme Labs" })).toHaveAttribute("href", "/customers/organizations/o2");
  expect(screen.getByRole("button", { name: "Change company" })).toHaveFocus();
  expect(await changed()).toEqual({ organizationId: "o2" });
});

test("a text replaces the organization of the fact", async () => {
  show("/customers/c1");
  await userEvent.click(await screen.findByRole("button", { name: "Change company" }));
  await userEvent.clear(await field());
  await userEvent.keyboard("Lantern{Enter}");
  expect(await changed()).toEqual({ organizationId: null, details: { company: "Lantern" } });
});

test("a conflict about the company is one choice, with its organization", async () => {
  show("/customers/c1");
  await userEvent.click(await screen.findByRole("button", { name: "Change company" }));
  await userEvent.clear(await field());
  await userEvent.keyboard("labs");
  const theirs = { ...hollis, version: 4, organizationId: undefined, details: { ...hollis.details, company: "Lantern" } };
  server.on("GET /api/customers/c1", () => theirs);
  server.on("PATCH /api/customers/c1", ({ headers, body }) =>
    headers.get("If-Match") === '"4"'
      ? { ...theirs, ...(body as object), version: 5 }
      : new Answer(412, { error: { code: "stale_version", message: "Somebody changed this." } }),
  );
  await userEvent.click(await screen.findByRole("option", { name: "Acme Labs" }));
  const dialog = within(await screen.findByRole("dialog", { name: "Two versions" }));
  expect(dialog.getAllByRole("group").map((group) => group.textContent)).toEqual(["CompanyYour versionAcme LabsThe other versionLantern"]);
  await userEvent.click(dialog.getByRole("button", { name: "Save this version" }));
  await waitFor(() => expect(server.sent("PATCH /api/customers/c1").at(-1)?.headers.get("If-Match")).toBe('"4"'));
  expect(server.sent("PATCH /api/customers/c1").at(-1)?.body).toEqual({ organizationId: "o2" });
});

test("a new organization of the fact is created with the change", async () => {
  server.on("GET /api/organizations", () => ({ items: [], total: 0 }));
  show("/customers/c1");
  await userEvent.click(await screen.findByRole("button", { name: "Change company" }));
  await userEvent.clear(await field());
  await userEvent.keyboard("Gamma");
  await userEvent.click(await screen.findByRole("option", { name: "New organization “Gamma”" }));
  expect(await changed()).toEqual({ organizationId: null, newOrganization: true, details: { company: "Gamma" } });
  expect(server.sent("POST /api/organizations")).toHaveLength(0);
});

test("a name in use is taken as the text of the fact", async () => {
  const named = { ...hollis, organizationId: undefined, details: { ...hollis.details, company: "Lantern Works" } };
  server.on("GET /api/customers", () => ({ items: [named], total: 1 }));
  show("/customers/c1", ["customers.read", "customers.write", "organizations.read"]);
  await userEvent.click(await screen.findByRole("button", { name: "Change company" }));
  await userEvent.clear(await field());
  await userEvent.keyboard("lant");
  await userEvent.click(await screen.findByRole("option", { name: /^Lantern Works/ }));
  expect(await changed()).toEqual({ organizationId: null, details: { company: "Lantern Works" } });
});

test("the name of one organization links the fact that is left or saved by Enter", async () => {
  server.on("GET /api/customers/c1", () => ({ ...hollis, organizationId: undefined, details: { ...hollis.details, company: "Lantern" } }));
  show("/customers/c1");
  await userEvent.click(await screen.findByRole("button", { name: "Change company" }));
  await userEvent.clear(await field());
  await userEvent.keyboard("acme LABS{Enter}");
  expect(await changed()).toEqual({ organizationId: "o2" });
  expect(await screen.findByRole("link", { name: "Acme Labs" })).toHaveAttribute("href", "/customers/organizations/o2");
});

test("a fact with the name of several organizations stays a text, which is said", async () => {
  server.on("GET /api/organizations", () => ({ items: [organization("o1", "Acme Ltd"), organization("o3", "Acme Ltd")], total: 2 }));
  server.on("GET /api/customers/c1", () => ({ ...hollis, organizationId: undefined, details: { ...hollis.details, company: "Lantern" } }));
  show("/customers/c1");
  await userEvent.click(await screen.findByRole("button", { name: "Change company" }));
  await userEvent.clear(await field());
  await userEvent.keyboard("acme ltd{Enter}");
  expect(await changed()).toEqual({ details: { company: "acme ltd" } });
  const { toasts } = useToasts.getState();
  expect(toasts.at(-1)?.text).toBe("Several organizations have this name. Choose one, or leave it as text.");
});

test("a birthday is sent without a year when none is typed", async () => {
  show("/customers/new");
  await userEvent.type(await screen.findByLabelText(/^Name/), "Hollis Reed");
  await userEvent.type(screen.getByRole("textbox", { name: "Birthday" }), "April 12");
  await add();
  expect((await created()).details.birthday).toBe("--04-12");
});

test("a birthday without a year is kept by a form that does not touch it", async () => {
  server.on("GET /api/customers/c1", () => ({ ...hollis, details: { ...hollis.details, birthday: "--02-29" } }));
  show("/customers/c1");
  await edit();
  await waitFor(() => expect(screen.getByRole("textbox", { name: "Birthday" })).toHaveValue("February 29"));
  await userEvent.type(screen.getByLabelText("Job title"), "Buyer");
  await save();
  expect((await changed()).details).toMatchObject({ title: "Buyer", birthday: "--02-29" });
});

// The kind of fault: a question about a field that only one of two members changed.
const saveOver = async (theirs: Customer, change: () => Promise<unknown>) => {
  server.on("GET /api/customers/c1", () => hollis);
  show("/customers/c1");
  await userEvent.click(await screen.findByRole("button", { name: "Edit" }));
  await change();
  server.on("GET /api/customers/c1", () => theirs);
  server.on("PATCH /api/customers/c1", ({ headers, body }) =>
    headers.get("If-Match") === `"${theirs.version}"`
      ? { ...theirs, ...(body as object), version: theirs.version + 1 }
      : new Answer(412, { error: { code: "stale_version", message: "Somebody changed this." } }),
  );
  await userEvent.click(screen.getByRole("button", { name: "Save" }));
};
const typeInto = async (name: string, text: string) => {
  const input = await screen.findByRole("textbox", { name });
  await userEvent.clear(input);
  await userEvent.type(input, text);
};
const other = (changes: Partial<Customer>, details: Partial<Customer["details"]>): Customer => ({
  ...hollis,
  ...changes,
  version: 7,
  details: { ...hollis.details, ...details },
});
const merged = () => server.sent("PATCH /api/customers/c1").at(-1);

test.each([
  ["Address", "1 Pier", other({}, { title: "Buyer" }), { address: "1 Pier", title: "Buyer" }],
  ["Job title", "Buyer", other({}, { address: "2 Pier" }), { address: "2 Pier", title: "Buyer" }],
  ["About", "Buys lamps", other({}, { address: "2 Pier", title: "Buyer" }), { address: "2 Pier", title: "Buyer" }],
])("%s is saved beside what someone else changed, without a question", async (input, text, theirs, details) => {
  await saveOver(theirs, () => typeInto(input, text));
  await waitFor(() => expect(merged()?.headers.get("If-Match")).toBe('"7"'));
  expect(merged()?.body).toMatchObject({ details });
  expect(screen.queryByRole("dialog", { name: "Two versions" })).toBeNull();
});

test("only the field that both changed is asked, and the choice of the other version keeps the rest", async () => {
  await saveOver(other({}, { title: "Buyer" }), async () => {
    await typeInto("Job title", "Owner");
    await typeInto("Address", "1 Pier");
  });
  const dialog = within(await screen.findByRole("dialog", { name: "Two versions" }));
  expect(dialog.getAllByRole("group").map((group) => group.textContent)).toEqual(["Job titleYour versionOwnerThe other versionBuyer"]);
  await userEvent.click(dialog.getByRole("radio", { name: /^The other version/ }));
  await userEvent.click(dialog.getByRole("button", { name: "Save this version" }));
  await waitFor(() => expect(merged()?.body).toMatchObject({ details: { title: "Buyer", address: "1 Pier" } }));
});
