import { act, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { Route, Routes } from "react-router";
import { beforeEach, expect, test, vi } from "vitest";
import type { Customer, Merge, Permission } from "@/api/schema";
import { accept } from "@/api/session";
import { Toaster } from "@/components/toaster";
import { BinSection } from "@/features/bin/bin-section";
import { CustomerDrawer, NewCustomerDrawer } from "@/features/customers/customer-drawer";
import { setSingleKeys } from "@/lib/keys";
import { useToasts } from "@/lib/toast";
import { mira, signedIn } from "@/test/people";
import { renderApp } from "@/test/render";
import { Answer, standInServer } from "@/test/server";
import { DuplicatesPage } from "./duplicates-page";

// The editor needs a layout, which this environment does not have; a plain field replaces it.
vi.mock("@/components/lazy-rich-editor", () => ({ LazyRichEditor: ({ label }: { label: string }) => <textarea aria-label={label} /> }));

const server = standInServer();

const make = (id: string, name: string, more: Partial<Customer> = {}): Customer => ({
  id,
  version: 3,
  createdAt: "2026-01-01T10:00:00Z",
  updatedAt: "2026-01-01T10:00:00Z",
  createdBy: mira.id,
  name,
  status: "lead",
  tags: ["vip"],
  details: { emails: [{ email: "ana@sol.example", label: "" }], phoneNumbers: [] },
  attachments: { media: [], docs: [], links: [] },
  fields: {},
  ...more,
});
const ana = make("c1", "Ana García", { about: "Tall", ownerId: "u1" });
const twin = make("c2", "Ana Garcia", { version: 5, createdAt: "2026-02-01T10:00:00Z", tags: ["sol"], ownerId: "m2" });
const cardOf = ({ id, name }: Customer) => ({ title: name, link: `/customers/${id}` });
const duplicate = (one: Customer, score = 95) => ({
  id: one.id,
  kind: "customer",
  score,
  card: { ...cardOf(one), subtitle: "Ferretería Sol" },
  reasons: [
    { reason: "similarName", value: one.name },
    { reason: "email", value: "ana@sol.example" },
  ],
});
const merge: Merge = {
  id: "m1",
  kind: "customer",
  keptId: "c1",
  duplicateId: "c2",
  keptTitle: "Ana García",
  duplicateTitle: "Ana Garcia",
  state: "done",
  moved: 2,
  left: 0,
  leftFields: [],
  createdAt: new Date(Date.now() - 3_600_000).toISOString(),
  createdBy: mira.id,
  undoableUntil: new Date(Date.now() + 86_400_000).toISOString(),
};
const all: Permission[] = ["customers.read", "customers.write", "customers.delete_own"];

function show(path: string, permissions = all) {
  accept({ ...signedIn(), user: { ...mira, permissions } });
  return renderApp(
    <>
      <Routes>
        <Route path="customers/new" element={<NewCustomerDrawer />} />
        <Route path="customers/duplicates" element={<DuplicatesPage />} />
        <Route path="customers/:id" element={<CustomerDrawer />} />
        <Route path="*" element={<p>The list</p>} />
      </Routes>
      <Toaster />
    </>,
    { path },
  );
}

beforeEach(() => {
  sessionStorage.clear();
  setSingleKeys(true);
  useToasts.setState({ toasts: [] });
  const team = [
    { id: mira.id, name: mira.name },
    { id: "m2", name: "Ben Osei" },
  ];
  server.on("GET /api/team", () => ({ items: team, total: 2 }));
  server.on("GET /api/tasks", () => ({ items: [], total: 0 }));
  server.on("GET /api/dashboards/analytics", () => ({
    customers: { total: 0, series: [], byStatus: [], byTag: [] },
    weeks: [],
    activity: [],
  }));
  for (const one of [ana, twin]) {
    server.on(`GET /api/customers/${one.id}`, () => one);
    for (const part of ["files", "timeline"]) server.on(`GET /api/customers/${one.id}/${part}`, () => ({ items: [], total: 0 }));
  }
  server.on("GET /api/duplicates/scan", () => ({
    kind: "customers",
    state: "done",
    total: 2,
    found: 1,
    scannedAt: "2026-11-26T10:12:00Z",
    scannedBy: "m2",
  }));
  server.on("GET /api/duplicates", () => ({
    items: [
      {
        records: [ana, twin].map((one) => ({ id: one.id, card: cardOf(one), createdAt: one.createdAt, updatedAt: one.updatedAt })),
        score: 95,
        reasons: duplicate(ana).reasons,
      },
    ],
    total: 1,
  }));
  server.on("GET /api/merges", () => ({ items: [], total: 0 }));
  server.on("GET /api/merges/m1", () => merge);
});

const name = () => screen.findByRole("textbox", { name: "Name" });
const finds = () => server.sent("POST /api/duplicates/find");

test("while a new person is typed, a line above the buttons shows similar ones; the text stays as a draft", async () => {
  server.on("POST /api/duplicates/find", () => ({ items: [duplicate(ana), duplicate(twin, 50)] }));
  const { router } = show("/customers/new");
  await userEvent.type(await name(), "An");
  await userEvent.type(screen.getByRole("textbox", { name: "Email address 1" }), "ana@sol.exam");
  const note = await screen.findByRole("region", { name: "You may already have this person" });
  // Too little was typed at first; then once for each pause.
  expect(finds()[0]?.body).toMatchObject({ kind: "customers", name: "An" });
  await waitFor(() => expect(finds().at(-1)?.body).toEqual({ kind: "customers", name: "An", emails: ["ana@sol.exam"] }));
  // Outside of the fields, which it so does not move.
  expect(note.nextElementSibling).toContainElement(screen.getByRole("button", { name: "Add customer" }));
  expect(screen.getByRole("textbox", { name: "Email address 1" })).toHaveFocus();
  expect(within(note).queryByRole("link")).toBeNull();
  const line = within(note).getByRole("button", { name: "You may already have this person Ana García · same email · similar name" });
  await userEvent.click(line);
  expect(line).toHaveAttribute("aria-expanded", "true");
  const [first] = within(note).getAllByRole("link");
  expect(first).toHaveTextContent("Ana GarcíaFerretería Solsame email · similar name");
  expect(
    screen.getAllByRole("status").some((one) => one.textContent?.startsWith("You may already have this person. Ana García, same email")),
  ).toBe(true);
  await userEvent.click(first as HTMLElement);
  expect(await screen.findByRole("heading", { name: "Ana García" })).toBeVisible();
  expect(screen.queryByText("Discard your changes?")).toBeNull();
  await userEvent.click(screen.getByRole("button", { name: "Back to the form" }));
  expect(await name()).toHaveValue("An");
  expect(router.state.location.pathname).toBe("/customers/new");
  expect(screen.queryByText("What you typed is kept as a draft.")).toBeNull();
});

test("a birthday without a year is looked for, too", async () => {
  server.on("POST /api/duplicates/find", () => ({ items: [] }));
  show("/customers/new");
  await userEvent.type(await name(), "Ana");
  await userEvent.type(screen.getByRole("textbox", { name: "Birthday" }), "4/12");
  await userEvent.tab();
  await waitFor(() => expect(finds().at(-1)?.body).toEqual({ kind: "customers", name: "Ana", birthday: "--04-12" }));
});

test("birthdays without a year are compared as day and month, and are a reason", async () => {
  const born = (birthday: string) => ({ details: { birthday, emails: [], phoneNumbers: [] } });
  server.on("GET /api/customers/c1", () => ({ ...ana, ...born("--04-12") }));
  server.on("GET /api/customers/c2", () => ({ ...twin, ...born("1990-04-12") }));
  const records = [ana, twin].map((one) => ({ id: one.id, card: cardOf(one), createdAt: one.createdAt, updatedAt: one.updatedAt }));
  const items = [{ records, score: 95, reasons: [{ reason: "birthday", value: "--04-12" }] }];
  server.on("GET /api/duplicates", () => ({ items, total: 1 }));
  show("/customers/duplicates");
  const row = await screen.findByRole("listitem", { name: "Ana García and Ana Garcia" });
  expect(row).toHaveTextContent("same birthday: Apr 12");
  await userEvent.click(within(row).getByRole("button", { name: "Compare Ana García and Ana Garcia" }));
  const field = within(await screen.findByRole("group", { name: "Birthday" }));
  expect(field.getByRole("radio", { name: /Apr 12$/ })).toBeVisible();
  expect(field.getByRole("radio", { name: /Apr 12, 1990$/ })).toBeVisible();
});

test("a late answer does not replace that of a newer question", async () => {
  let answer = (_body: unknown) => {};
  server.on("POST /api/duplicates/find", ({ body }) =>
    (body as { name: string }).name === "Ana" ? new Promise((done) => (answer = done)) : { items: [duplicate(twin)] },
  );
  show("/customers/new");
  await userEvent.type(await name(), "Ana");
  await waitFor(() => expect(finds()).toHaveLength(1));
  await userEvent.type(await name(), " Gar");
  const line = await screen.findByRole("button", { name: /^You may already have this person/ });
  expect(line).toHaveTextContent("Ana Garcia");
  await act(async () => answer({ items: [duplicate(ana)] }));
  expect(line).toHaveTextContent("Ana Garcia");
});

test("neither two letters nor the form of an existing record ask; a failure says nothing", async () => {
  server.on("POST /api/duplicates/find", () => new Answer(500, { error: { code: "internal", message: "Broken" } }));
  show("/customers/c1");
  await userEvent.click(await screen.findByRole("button", { name: "Edit" }));
  await userEvent.type(await name(), " López");
  await act(() => new Promise((done) => setTimeout(done, 600)));
  expect(finds()).toHaveLength(0);
  await userEvent.click(screen.getByRole("button", { name: "Cancel" }));
  await userEvent.click(await screen.findByRole("button", { name: "Discard" }));
});

test("a record says that it looks like another one, which is dismissed and taken back", async () => {
  let items = [duplicate(twin), duplicate(make("c3", "Anna"), 50)];
  server.on("GET /api/customers/c1/duplicates", () => ({ items }));
  server.on("POST /api/duplicates/dismiss", ({ body }) => {
    items = (body as { dismissed: boolean }).dismissed ? items.slice(1) : [duplicate(twin), ...items];
    return new Answer(204);
  });
  show("/customers/c1");
  const line = await screen.findByRole("region", { name: "Duplicates" });
  expect(line).toHaveTextContent("Looks like a duplicate of Ana Garcia");
  await userEvent.click(within(line).getByRole("button", { name: "Not a duplicate" }));
  // The next one is only possibly the same.
  await waitFor(() =>
    expect(screen.getByRole("region", { name: "Duplicates" })).toHaveTextContent("Possible duplicate: Anna (same email, similar name)"),
  );
  expect(server.sent("POST /api/duplicates/dismiss")[0]?.body).toEqual({ kind: "customers", ids: ["c1", "c2"], dismissed: true });
  await userEvent.click(await screen.findByRole("button", { name: "Undo" }));
  await waitFor(() => expect(screen.getByRole("region", { name: "Duplicates" })).toHaveTextContent("Looks like a duplicate of Ana Garcia"));
});

test("a record with no more than the email address of another one may be a duplicate; names in another order are called so", async () => {
  const shared = { ...duplicate(twin, 50), reasons: [{ reason: "email", value: "ana@sol.example" }] };
  server.on("GET /api/customers/c1/duplicates", () => ({ items: [shared] }));
  show("/customers/c1");
  const line = await screen.findByRole("region", { name: "Duplicates" });
  expect(line).toHaveTextContent("Possible duplicate: Ana Garcia (same email)");
  expect(within(line).getByRole("button", { name: "Compare" })).toBeVisible();
  const swapped = { ...duplicate(twin, 45), reasons: [{ reason: "swappedName", value: "García Ana" }] };
  server.on("GET /api/customers/c2/duplicates", () => ({ items: [swapped] }));
  show("/customers/c2");
  expect(await screen.findByText(/same name in another order/)).toBeVisible();
});

test("two records are compared field by field, and merged; the one that is kept is shown", async () => {
  server.on("GET /api/customers/c2/duplicates", () => ({ items: [duplicate(ana)] }));
  server.on("POST /api/customers/c1/merge", () => ({ ...merge, state: "running" }));
  let current = { ...merge, state: "running" };
  server.on("GET /api/merges/m1", () => current);
  server.on("POST /api/merges/m1/undo", () => ({ ...merge, state: "undone", left: 2, leftFields: ["about", "details.emails"] }));
  const { router } = show("/customers/c2");
  await userEvent.click(await screen.findByRole("button", { name: "Compare" }));
  const dialog = await screen.findByRole("dialog", { name: "Compare customers" });
  const side = (title: RegExp) => within(dialog).getByRole("radio", { name: title });
  const field = (label: string) => within(within(dialog).getByRole("group", { name: label }));
  // It has more values, and is older.
  expect(await within(dialog).findByRole("radio", { name: /^Ana García.*Is kept$/ })).toBeChecked();
  expect(within(dialog).queryByRole("group", { name: "Email addresses" })).toBeNull();
  expect(within(dialog).getByRole("button", { name: "2 fields are the same" })).toHaveAttribute("aria-expanded", "false");
  await waitFor(() => expect(field("Owner").getByRole("radio", { name: /Mira Okafor$/ })).toBeChecked());
  expect(field("Tags").getByRole("radio", { name: "Both vip sol" })).toBeChecked();
  expect(field("About").getAllByRole("radio")).toHaveLength(2);
  expect(dialog).toHaveTextContent(
    "“Ana García” is kept. Comments, activities, files, links, deals, tasks and events of “Ana Garcia” move to it",
  );
  await userEvent.click(field("Name").getByRole("radio", { name: /Ana Garcia$/ }));
  // A choice belongs to the record, whichever is kept.
  await userEvent.click(within(dialog).getByRole("button", { name: "Swap" }));
  expect(side(/^Ana Garcia.*Is kept$/)).toBeChecked();
  expect(field("Name").getByRole("radio", { name: /Ana Garcia$/ })).toBeChecked();
  expect(field("Owner").getByRole("radio", { name: /Ben Osei$/ })).toBeChecked();
  await userEvent.click(side(/^Ana García.*Goes to the trash$/));
  await userEvent.click(within(dialog).getByRole("button", { name: "Merge" }));
  await waitFor(() => expect(router.state.location.pathname).toBe("/customers/c1"));
  const [sent] = server.sent("POST /api/customers/c1/merge");
  expect(sent?.headers.get("If-Match")).toBe('"3"');
  expect(sent?.body).toEqual({ duplicateId: "c2", fields: { name: "take", tags: "both", ownerId: "keep", about: "keep" } });
  expect(await screen.findByText("Merging “Ana Garcia” into this record… 2 items have moved.")).toBeVisible();
  current = merge;
  expect(await screen.findByText("Merged. “Ana García” is kept.")).toBeVisible();
  await userEvent.click(screen.getByRole("button", { name: "Undo" }));
  const text = "“Ana Garcia” is back. Changed since and kept: About and Email addresses. 2 items were changed since and stayed.";
  expect(await screen.findByText(text)).toBeVisible();
});

test("two records of one name are told apart by their companies", async () => {
  const at = (company: string) => ({ details: { company, emails: [], phoneNumbers: [] } });
  server.on("GET /api/customers/c1", () => ({ ...ana, ...at("Sol") }));
  server.on("GET /api/customers/c2", () => ({ ...twin, name: "Ana García", ...at("Luna") }));
  server.on("GET /api/customers/c2/duplicates", () => ({ items: [{ ...duplicate(ana), card: { ...cardOf(ana), subtitle: "Sol" } }] }));
  show("/customers/c2");
  expect(await screen.findByRole("link", { name: "Ana García (Sol)" })).toBeVisible();
  await userEvent.click(await screen.findByRole("button", { name: "Compare" }));
  const dialog = await screen.findByRole("dialog", { name: "Compare customers" });
  await waitFor(() => expect(dialog).toHaveTextContent("“Ana García (Sol)” is kept."));
  expect(dialog).toHaveTextContent("“Ana García (Luna)” goes to the trash.");
});

test("a version that changed meanwhile is read again, and the choices stay", async () => {
  server.on("GET /api/customers/c1/duplicates", () => ({ items: [duplicate(twin)] }));
  let latest = ana;
  server.on("GET /api/customers/c1", () => latest);
  server.on("POST /api/customers/c1/merge", () => {
    latest = { ...ana, version: 4, about: "Very tall" };
    return new Answer(412, { error: { code: "stale_version", message: "Changed" } });
  });
  show("/customers/c1");
  await userEvent.click(await screen.findByRole("button", { name: "Compare" }));
  const dialog = await screen.findByRole("dialog", { name: "Compare customers" });
  await userEvent.click(within(await within(dialog).findByRole("group", { name: "Name" })).getByRole("radio", { name: /Ana Garcia$/ }));
  await userEvent.click(within(dialog).getByRole("button", { name: "Merge" }));
  expect(await within(dialog).findByText(/changed in the meantime/)).toBeVisible();
  expect(await within(dialog).findByText("Very tall")).toBeVisible();
  expect(within(within(dialog).getByRole("group", { name: "Name" })).getByRole("radio", { name: /Ana Garcia$/ })).toBeChecked();
  server.on("POST /api/customers/c1/merge", () => merge);
  await userEvent.click(within(dialog).getByRole("button", { name: "Merge" }));
  await waitFor(() => expect(screen.queryByRole("dialog", { name: "Compare customers" })).toBeNull());
  expect(server.sent("POST /api/customers/c1/merge")[1]?.headers.get("If-Match")).toBe('"4"');
});

test("who may delete only one of the two keeps the other one", async () => {
  server.on("GET /api/customers/c1", () => ({ ...ana, createdBy: "m2" }));
  server.on("GET /api/customers", () => ({ items: [twin], total: 1 }));
  show("/customers/c1");
  await userEvent.click(await screen.findByRole("button", { name: "More actions" }));
  await userEvent.click(await screen.findByRole("menuitem", { name: "Merge with…" }));
  const choice = await screen.findByRole("dialog", { name: "Merge “Ana García” with…" });
  await userEvent.click(within(choice).getByRole("combobox", { name: "Person or company" }));
  await userEvent.click(await screen.findByRole("option", { name: "Ana Garcia" }));
  const dialog = await screen.findByRole("dialog", { name: "Compare customers" });
  expect(await within(dialog).findByRole("radio", { name: /^Ana García.*Is kept$/ })).toBeChecked();
  await userEvent.click(within(dialog).getByRole("button", { name: "Swap" }));
  expect(within(dialog).getByRole("status")).toHaveTextContent("You can’t delete “Ana García”");
  expect(within(dialog).getByRole("button", { name: "Merge" })).toBeDisabled();
});

test("viewers see neither the line nor the menu", async () => {
  show("/customers/c1", ["customers.read"]);
  expect(await screen.findByRole("heading", { name: "Ana García" })).toBeVisible();
  expect(screen.queryByRole("button", { name: "More actions" })).toBeNull();
  expect(server.sent("GET /api/customers/c1/duplicates")).toHaveLength(0);
});

test("a record that was merged leads to the one that was kept", async () => {
  server.on("GET /api/customers/c2", () => new Answer(404, { error: { code: "not_found", message: "Gone", mergedInto: "c1" } }));
  const { router } = show("/customers/c2");
  expect(await screen.findByText("This record was merged into “Ana García”.")).toBeVisible();
  expect(router.state.location.pathname).toBe("/customers/c1");
});

test("the pairs are compared and dismissed by keys", async () => {
  server.on("POST /api/duplicates/dismiss", () => new Answer(204));
  show("/customers/duplicates");
  const row = await screen.findByRole("listitem", { name: "Ana García and Ana Garcia" });
  expect(row).toHaveTextContent("Very likely");
  expect(row).toHaveTextContent("same email: ana@sol.example");
  expect(await screen.findByText(/^Last checked Nov 26, 2026.* by Ben Osei\.$/)).toBeVisible();
  // This environment has no layout: every row counts as visible.
  for (const one of document.querySelectorAll("[data-row]")) one.getClientRects = () => [new DOMRect()] as unknown as DOMRectList;
  await userEvent.keyboard("j");
  expect(within(row).getByRole("button", { name: "Compare Ana García and Ana Garcia" })).toHaveFocus();
  await userEvent.keyboard("{Enter}");
  await screen.findByRole("dialog", { name: "Compare customers" });
  await userEvent.keyboard("{Escape}");
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  server.on("GET /api/duplicates", () => ({ items: [], total: 0 }));
  within(row).getByRole("button", { name: "Compare Ana García and Ana Garcia" }).focus();
  await userEvent.keyboard("x");
  expect(await screen.findByText("No duplicates found")).toBeVisible();
  expect(await screen.findByText("“Ana García” and “Ana Garcia” are no longer shown as duplicates.")).toBeVisible();
});

test("a search that never ran is started, and its progress is shown", async () => {
  let scan = { kind: "customers", state: "never", total: 0, found: 0 };
  server.on("GET /api/duplicates/scan", () => scan);
  server.on("GET /api/duplicates", () => ({ items: [], total: 0 }));
  server.on("POST /api/duplicates/scan", () => {
    scan = { ...scan, state: "running", total: 1_200, found: 2 };
    return scan;
  });
  show("/customers/duplicates");
  expect(await screen.findByText("Not checked yet")).toBeVisible();
  await userEvent.click(screen.getByRole("button", { name: "Look for duplicates" }));
  expect(await screen.findByText("Comparing 1,200 people with each other…")).toBeVisible();
  scan = { ...scan, state: "failed" };
  expect(await screen.findByText(/didn’t finish/)).toBeVisible();
});

test("who may only read sees the pairs and starts nothing", async () => {
  show("/customers/duplicates", ["customers.read", "organizations.read"]);
  await screen.findByRole("listitem", { name: "Ana García and Ana Garcia" });
  expect(screen.queryByRole("button", { name: /Compare|Look for|not duplicates/ })).toBeNull();
  await userEvent.click(screen.getByRole("radio", { name: "Organizations" }));
  await waitFor(() => expect(server.sent("GET /api/duplicates").at(-1)?.query.get("kind")).toBe("organizations"));
});

test("merges are undone from their list, by who merged or may delete any", async () => {
  const [other, undone] = [
    { ...merge, id: "m2", createdBy: "m2" },
    { ...merge, id: "m3", state: "undone", leftFields: ["about"] },
  ];
  server.on("GET /api/merges", () => ({ items: [merge, other, undone], total: 3 }));
  server.on("POST /api/merges/m1/undo", () => new Answer(409, { error: { code: "conflict", message: "Undone before." } }));
  show("/customers/duplicates?show=merged");
  const list = await screen.findByRole("list", { name: "Merged" });
  const [first, second, third] = within(list).getAllByRole("listitem");
  await waitFor(() => expect(second).toHaveTextContent("Ana Garcia was merged into Ana GarcíaBy Ben Osei 1 hour ago"));
  expect(within(second as HTMLElement).queryByRole("button")).toBeNull();
  expect(third).toHaveTextContent("UndoneBy Mira Okafor 1 hour agoChanged since and kept: About.");
  await userEvent.click(within(first as HTMLElement).getByRole("button", { name: "Undo merge of Ana Garcia into Ana García" }));
  expect(await screen.findByText("Undone before.")).toBeVisible();
});

test("a merged record in the trash says so, and restoring it undoes the merge", async () => {
  const binned = { id: "c2", kind: "customer", title: "Ana Garcia", removedAt: merge.createdAt, purgedAt: merge.undoableUntil };
  server.on("GET /api/bin", () => ({
    items: [{ ...binned, mergedInto: { id: "c1", title: "Ana García", link: "/customers/c1" } }],
    total: 1,
  }));
  server.on("POST /api/bin/c2/restore", () => ({ id: "c2", kind: "customer", link: "/customers/c2" }));
  accept({ ...signedIn(), user: { ...mira, permissions: all } });
  renderApp(
    <>
      <BinSection />
      <Toaster />
    </>,
  );
  const row = (await screen.findByText("Ana Garcia")).closest("li") as HTMLElement;
  expect(row).toHaveTextContent("Merged into Ana García");
  expect(within(row).getByRole("link", { name: "Ana García" })).toHaveAttribute("href", "/customers/c1");
  await userEvent.click(within(row).getByRole("button", { name: "Undo merge" }));
  expect(await screen.findByText("“Ana Garcia” is back. The merge is undone.")).toBeVisible();
});
