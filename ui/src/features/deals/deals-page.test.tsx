import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { Route, Routes } from "react-router";
import { beforeEach, expect, test } from "vitest";
import type { Deal } from "@/api/schema";
import { accept } from "@/api/session";
import { Toaster } from "@/components/toaster";
import { makeDeal, pipeline } from "@/test/deals";
import { mira, signedIn } from "@/test/people";
import { renderApp } from "@/test/render";
import { Answer, standInServer } from "@/test/server";
import { DealDrawer, NewDealDrawer } from "./deal-drawer";
import { addressOfView, type DealsView } from "./deal-views";
import { DealsPage } from "./deals-page";

const server = standInServer();
const writer = ["deals.read", "deals.write", "customers.read", "organizations.read"];
const signIn = (permissions: string[]) => accept({ ...signedIn(), user: { ...mira, permissions } });
const rugs = makeDeal("d1", "Rugs", {
  value: { amount: 1_250_050, currency: "EUR" },
  expectedDay: "2026-01-02",
  organizationId: "o1",
  organizationName: "Harbour Hotels",
});

/** Serves one deal, as changes leave it. */
function serve(first: Deal) {
  let kept = first;
  server.on("GET /api/deals/d1", () => kept);
  server.on("PATCH /api/deals/d1", ({ body }) => {
    kept = { ...kept, ...(body as Partial<Deal>), version: kept.version + 1 };
    return kept;
  });
  for (const part of ["files", "timeline"]) server.on(`GET /api/deals/d1/${part}`, () => ({ items: [], total: 0 }));
}
const patches = () => server.sent("PATCH /api/deals/d1").map(({ body }) => body);
const filters = () => server.sent("GET /api/deals").at(-1)?.query.getAll("filter");

const openDeal = async () => {
  renderApp(
    <>
      <Routes>
        <Route path="/customers/deals/:id" element={<DealDrawer />} />
        <Route path="*" element={null} />
      </Routes>
      <Toaster />
    </>,
    { path: "/customers/deals/d1" },
  );
  return within(await screen.findByRole("dialog", { name: "Rugs" }));
};

beforeEach(() => {
  signIn(writer);
  server.on("GET /api/team", () => ({ items: [{ id: "u1", name: "Mira Okafor", state: "active" }], total: 1 }));
  server.on("GET /api/team/former", () => ({ items: [] }));
  server.on("GET /api/deals/pipeline", () => pipeline);
  server.on("GET /api/deals", () => ({ items: [rugs], total: 1 }));
  server.on("GET /api/organizations/o1", () => ({ id: "o1", name: "Harbour Hotels", tags: [] }));
});

test("the list begins with the open deals by their expected day, and the chip that says so can be removed", async () => {
  renderApp(<DealsPage />, { path: "/customers/deals" });
  expect(await screen.findByText("1 open deal")).toBeVisible();
  expect(await screen.findAllByText("€12,500.50")).not.toHaveLength(0);
  expect(screen.getAllByText("(late)", { exact: false })[0]).toBeInTheDocument();
  expect(screen.getAllByRole("link", { name: "Harbour Hotels" })[0]).toHaveAttribute("href", "/customers/organizations/o1");
  // The names come with the deals.
  expect(server.sent("GET /api/organizations/o1")).toHaveLength(0);
  expect(filters()).toEqual(["outcome:is:open"]);
  expect(server.sent("GET /api/deals")[0]?.query.get("sort")).toBe("expectedDay");
  await userEvent.click(screen.getByRole("button", { name: "Clear filter Outcome" }));
  await waitFor(() => expect(filters()).toEqual([]));
  expect(await screen.findByText("1 deal")).toBeVisible();
});

test("deals that are lost in bulk are asked for their reason, too", async () => {
  server.on("POST /api/bulk", () => new Answer(202, { id: "b1", kind: "deals", state: "done", changed: 1, skipped: 0, undone: 0 }));
  renderApp(<DealsPage />, { path: "/customers/deals" });
  await userEvent.click((await screen.findAllByRole("checkbox", { name: "Select Rugs" }))[0] as HTMLElement);
  await userEvent.click(screen.getByRole("button", { name: "Change…" }));
  const dialog = within(await screen.findByRole("dialog"));
  const choose = async (field: RegExp, option: string) => {
    await userEvent.click(dialog.getByRole("button", { name: field }));
    await userEvent.click(await screen.findByRole("option", { name: option }));
  };
  await choose(/Field/, "Outcome");
  expect(dialog.queryByLabelText("More about the reason")).toBeNull();
  await choose(/Outcome$/, "Lost");
  await choose(/Reason/, "Price");
  await userEvent.type(dialog.getByLabelText("More about the reason"), "Half as much elsewhere.");
  await userEvent.click(dialog.getByRole("button", { name: "Apply" }));
  await waitFor(() => expect(server.sent("POST /api/bulk")).toHaveLength(1));
  expect(server.sent("POST /api/bulk")[0]?.body).toMatchObject({
    kind: "deals",
    change: { outcome: "lost", reasonId: "price", reason: "Half as much elsewhere." },
  });
});

async function openBulk(button: string) {
  renderApp(<DealsPage />, { path: "/customers/deals" });
  await userEvent.click((await screen.findAllByRole("checkbox", { name: "Select Rugs" }))[0] as HTMLElement);
  await userEvent.click(screen.getByRole("button", { name: button }));
  return within(await screen.findByRole("dialog"));
}

test("a bulk change presets nothing, and cannot be applied until a value is chosen", async () => {
  const dialog = await openBulk("Change…");
  const choose = async (field: RegExp, option: string) => {
    await userEvent.click(dialog.getByRole("button", { name: field }));
    await userEvent.click(await screen.findByRole("option", { name: option }));
  };
  await choose(/Field/, "Outcome");
  expect(dialog.getByRole("button", { name: "Choose… Outcome" })).toBeVisible();
  expect(dialog.getByRole("button", { name: "Apply" })).toBeDisabled();
  await choose(/Field/, "Owner");
  expect(dialog.getByRole("button", { name: "Choose… Owner" })).toBeVisible();
  expect(dialog.getByRole("button", { name: "Apply" })).toBeDisabled();
  await choose(/Owner$/, "No one");
  expect(dialog.getByRole("button", { name: "Apply" })).toBeEnabled();
});

test("tags in bulk: nothing is applied without any, Ctrl+Enter takes the typed one, and Escape asks before it is lost", async () => {
  server.on("POST /api/bulk", () => new Answer(202, { id: "b1", kind: "deals", state: "done", changed: 1, skipped: 0, undone: 0 }));
  const dialog = await openBulk("Tags…");
  expect(dialog.getByRole("button", { name: "Apply" })).toBeDisabled();
  await userEvent.type(dialog.getByRole("textbox", { name: "Add tags" }), "{Control>}{Enter}{/Control}fair{Enter}{Escape}");
  const question = await screen.findByRole("alertdialog", { name: "Discard your changes?" });
  await userEvent.click(within(question).getByRole("button", { name: "Cancel" }));
  await waitFor(() => expect(screen.queryByRole("alertdialog")).toBeNull());
  await userEvent.type(screen.getByRole("textbox", { name: "Add tags" }), "spring");
  await userEvent.keyboard("{Control>}{Enter}{/Control}");
  await waitFor(() => expect(server.sent("POST /api/bulk")).toHaveLength(1));
  expect(server.sent("POST /api/bulk")[0]?.body).toMatchObject({ kind: "deals", addTags: ["fair", "spring"] });
});

test("a filter by stage waits until the stages are known", async () => {
  let answer: (value: unknown) => void = () => undefined;
  server.on("GET /api/deals/pipeline", () => new Promise((resolve) => (answer = resolve)));
  renderApp(<DealsPage />, { path: "/customers/deals?filter=stageId:is:proposal" });
  await waitFor(() => expect(server.sent("GET /api/deals/pipeline")).toHaveLength(1));
  expect(server.sent("GET /api/deals")).toHaveLength(0);
  answer(pipeline);
  expect(await screen.findByRole("button", { name: "Stage is Proposal" })).toBeVisible();
  await waitFor(() => expect(filters()).toEqual(["stageId:is:proposal"]));
  expect(server.sent("GET /api/deals")).toHaveLength(1);
});

test("the views keep the filters: the forecast without the outcome, which the list gets back", () => {
  const to = (view: DealsView, from: DealsView, query: string) => decodeURIComponent(addressOfView(view, from, new URLSearchParams(query)));
  expect(to("board", "table", "filter=ownerId:is:me&page=2&cursor=ab")).toBe("/customers/deals?filter=ownerId:is:me&as=board");
  expect(to("forecast", "board", "as=board")).toBe("/customers/deals/forecast");
  expect(to("forecast", "table", "filter=outcome:is:open&filter=ownerId:is:me")).toBe("/customers/deals/forecast?filter=ownerId:is:me");
  expect(to("table", "forecast", "filter=ownerId:is:me&from=2026-05")).toBe("/customers/deals?filter=outcome:is:open&filter=ownerId:is:me");
  expect(to("table", "forecast", "filter=outcome:is:won")).toBe("/customers/deals?filter=outcome:is:won");
  expect(to("forecast", "board", "as=board&q=rugs")).toBe("/customers/deals/forecast?q=rugs");
  expect(to("board", "forecast", "q=rugs&from=2026-05")).toBe("/customers/deals?q=rugs&as=board");
});

test("a new deal takes the organization of its person, and the one who adds it as owner", async () => {
  server.on("POST /api/deals", () => new Answer(201, makeDeal("d2", "Lamps")));
  server.on("GET /api/customers", () => ({ items: [{ id: "c1", name: "Ana López", details: {} }], total: 1 }));
  server.on("GET /api/customers/c1", () => ({ id: "c1", name: "Ana López", organizationId: "o1" }));
  renderApp(
    <Routes>
      <Route path="/customers/deals/new" element={<NewDealDrawer />} />
      <Route path="*" element={null} />
    </Routes>,
    { path: "/customers/deals/new?stage=qualified" },
  );
  await userEvent.type(await screen.findByLabelText(/^Title/), "Lamps");
  await userEvent.type(screen.getByLabelText("Value"), "1,200.5");
  const currency = screen.getByLabelText("Currency");
  await userEvent.clear(currency);
  await userEvent.type(currency, "eu");
  await userEvent.tab();
  expect(screen.getByText("Use a currency code such as EUR.")).toBeVisible();
  await userEvent.type(currency, "r");
  await userEvent.click(screen.getByRole("combobox", { name: "Person" }));
  await userEvent.keyboard("{ArrowDown}");
  await userEvent.click(await screen.findByRole("option", { name: "Ana López" }));
  await waitFor(() => expect(screen.getByRole("combobox", { name: "Organization" })).toHaveValue("Harbour Hotels"));
  await userEvent.click(screen.getByRole("button", { name: "Add deal" }));
  await waitFor(() => expect(server.sent("POST /api/deals")).toHaveLength(1));
  expect(server.sent("POST /api/deals")[0]?.body).toMatchObject({
    title: "Lamps",
    value: { amount: 120_050, currency: "EUR" },
    customerId: "c1",
    organizationId: "o1",
    stageId: "qualified",
    ownerId: mira.id,
    outcome: "open",
    visibility: { to: "company", people: [] },
  });
});

test("one press moves a deal to a stage, which is marked", async () => {
  serve(rugs);
  const drawer = await openDeal();
  const stages = within(await drawer.findByRole("list", { name: "Stage" }));
  const proposal = await stages.findByRole("button", { name: "Proposal" });
  expect(stages.getByRole("button", { name: "New" })).toHaveAttribute("aria-current", "step");
  await userEvent.click(proposal);
  await waitFor(() => expect(patches()).toEqual([{ stageId: "proposal" }]));
  expect(stages.getByRole("button", { name: "Proposal" })).toHaveAttribute("aria-current", "step");
  // Nothing is sent for the stage that it is in.
  await userEvent.click(stages.getByRole("button", { name: "Proposal" }));
  expect(patches()).toHaveLength(1);
});

test("a deal is lost with a reason, which can be changed, and opened again", async () => {
  serve(rugs);
  const drawer = await openDeal();
  await userEvent.click(await drawer.findByRole("button", { name: "Lost" }));
  const dialog = within(await screen.findByRole("dialog", { name: "Why was “Rugs” lost?" }));
  await userEvent.click(dialog.getByRole("button", { name: /Reason/ }));
  // Neither reasons of won deals nor those that were removed.
  expect((await screen.findAllByRole("option")).map((option) => option.textContent)).toEqual(["None", "Price"]);
  await userEvent.click(screen.getByRole("option", { name: "Price" }));
  await userEvent.type(dialog.getByLabelText("More about the reason"), "Half as much elsewhere.");
  await userEvent.click(dialog.getByRole("button", { name: "Mark as lost" }));
  await waitFor(() => expect(patches()).toEqual([{ outcome: "lost", reasonId: "price", reason: "Half as much elsewhere." }]));
  const outcome = within(await drawer.findByRole("region", { name: "Outcome" }));
  expect(await outcome.findByText("Price")).toBeVisible();
  expect(outcome.getByText("Half as much elsewhere.")).toBeVisible();
  expect(drawer.queryByRole("button", { name: "Proposal" })).toBeNull();
  await userEvent.click(outcome.getByRole("button", { name: "Open again" }));
  await waitFor(() => expect(patches().at(-1)).toEqual({ outcome: "open" }));
  expect(await drawer.findByRole("button", { name: "Won" })).toBeVisible();
});

test("of a lost deal, one sees first that it is lost; the stage that it was in is no longer marked", async () => {
  serve({ ...rugs, stageId: "qualified", outcome: "lost", closedAt: "2026-11-20T10:00:00Z", reasonId: "price" });
  const drawer = await openDeal();
  const outcome = await drawer.findByRole("region", { name: "Outcome" });
  expect(outcome).toHaveTextContent(/^LostNov 20, 2026Price/);
  const stages = drawer.getByRole("list", { name: "Stage" });
  expect(await within(stages).findByText("Qualified")).toBeVisible();
  expect(outcome.compareDocumentPosition(stages)).toBe(Node.DOCUMENT_POSITION_FOLLOWING);
  expect(stages.querySelector("[aria-current]")).toBeNull();
  expect(stages.querySelector(".bg-primary")).toBeNull();
});

test("a deal is won at once, which can be undone", async () => {
  serve(rugs);
  const drawer = await openDeal();
  await userEvent.click(await drawer.findByRole("button", { name: "Won" }));
  await waitFor(() => expect(patches()).toEqual([{ outcome: "won" }]));
  await userEvent.click(await screen.findByRole("button", { name: /^Undo/ }));
  await waitFor(() => expect(patches()).toEqual([{ outcome: "won" }, { outcome: "open" }]));
  expect(server.sent("PATCH /api/deals/d1").map(({ headers }) => headers.get("If-Match"))).toEqual(['"1"', '"2"']);
  expect(await drawer.findByRole("button", { name: "Won" })).toBeVisible();
});

test("the value is edited where it stands; what is not an amount is not saved", async () => {
  serve(rugs);
  const drawer = await openDeal();
  await userEvent.click(await drawer.findByRole("button", { name: "Change value" }));
  const amount = drawer.getByLabelText("Value");
  expect(amount).toHaveValue("12500.50");
  await userEvent.clear(amount);
  await userEvent.type(amount, "much{Enter}");
  expect(await drawer.findByText("Enter a number.")).toBeVisible();
  await userEvent.clear(amount);
  await userEvent.type(amount, "9{Enter}");
  await waitFor(() => expect(patches()).toEqual([{ value: { amount: 900, currency: "EUR" } }]));
  expect(await drawer.findByText("€9")).toBeVisible();
});

test("who may only read sees the stages, but cannot move or close a deal", async () => {
  signIn(["deals.read"]);
  serve(rugs);
  const drawer = await openDeal();
  const stages = within(await drawer.findByRole("list", { name: "Stage" }));
  expect(await stages.findByText("Proposal")).toBeVisible();
  expect(stages.queryByRole("button")).toBeNull();
  expect(drawer.queryByRole("button", { name: "Won" })).toBeNull();
});

// The kind of fault: a column that shows another kind of record than its heading says.
test.each([
  ["a person alone", { customerId: "c1", customerName: "Ana Ruiz" }, "", "Ana Ruiz"],
  ["an organization alone", { organizationId: "o1", organizationName: "Harbour Hotels" }, "Harbour Hotels", ""],
  ["both", { organizationId: "o1", organizationName: "Harbour Hotels", customerId: "c1", customerName: "Ana Ruiz" }, "Harbour Hotels", ""],
  ["neither", {}, "", ""],
])("the column of organizations names no person: a deal with %s", async (_what, buying, organization, line) => {
  server.on("GET /api/deals", () => ({ items: [makeDeal("d1", "Rugs", buying)], total: 1 }));
  renderApp(<DealsPage />, { path: "/customers/deals" });
  const table = await screen.findByRole("table");
  const at = within(table)
    .getAllByRole("columnheader")
    .findIndex((head) => head.textContent?.startsWith("Organization"));
  const row = (await within(table).findByRole("link", { name: "Rugs" })).closest("tr");
  expect(row?.children[at]?.textContent).toBe(organization);
  expect(within(row as HTMLElement).queryByText("Ana Ruiz")?.textContent ?? "").toBe(line);
});

// The kind of fault: one amount in two forms.
test("a column of values has decimals where one of them has a fraction, and none otherwise", async () => {
  const priced = (id: string, amount: number) => makeDeal(id, `Deal ${id}`, { value: { amount, currency: "EUR" } });
  const cells = async (...deals: Deal[]) => {
    server.on("GET /api/deals", () => ({ items: deals, total: deals.length }));
    const { unmount } = renderApp(<DealsPage />, { path: "/customers/deals" });
    await screen.findAllByRole("link", { name: deals[0]?.title ?? "" });
    const found = screen.getAllByText(/^€/).map(({ textContent }) => textContent);
    unmount();
    return found;
  };
  expect(await cells(priced("a", 1_760_000), priced("b", 500))).toEqual(["€17,600", "€5"]);
  expect(await cells(priced("a", 1_760_050), priced("b", 500))).toEqual(["€17,600.50", "€5.00"]);
});
