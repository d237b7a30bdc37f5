import { act, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, test, vi } from "vitest";
import type { Deal } from "@/api/schema";
import { accept } from "@/api/session";
import { useList } from "@/features/lists/use-list";
import { useToasts } from "@/lib/toast";
import { usePaging } from "@/lib/use-paging";
import { mira, signedIn } from "@/test/people";
import { renderApp } from "@/test/render";
import { Answer, standInServer } from "@/test/server";
import { DealBoard } from "./deal-board";

const server = standInServer();
const make = (id: string, stageId: string, day: string, more: Partial<Deal> = {}): Deal => ({
  id,
  version: 3,
  createdAt: "2026-11-01T10:00:00Z",
  updatedAt: "2026-11-01T10:00:00Z",
  title: `Deal ${id}`,
  stageId,
  outcome: "open",
  expectedDay: day,
  value: { amount: 100_000, currency: "EUR" },
  tags: [],
  fields: {},
  visibility: { to: "company", people: [] },
  ...more,
});
let deals: Deal[];

const outcomeColumn = {
  id: "outcome",
  label: "Outcome",
  type: "choice" as const,
  choices: ["open", "won", "lost"].map((key) => ({ key, name: key })),
};
function Screen() {
  const list = useList<Deal>({ kind: "deal", columns: [outcomeColumn], order: "expectedDay", address: usePaging(50, {}) });
  return <DealBoard list={list} />;
}

/** The elements that are in sight, and those that are observed, with what reports that they are. */
const inSight = new Set<Element>();
const observed = new Map<Element, () => void>();
const scrollTo = (element: Element) =>
  act(async () => {
    inSight.add(element);
    observed.get(element)?.();
  });

beforeEach(() => {
  inSight.clear();
  observed.clear();
  vi.stubGlobal(
    "IntersectionObserver",
    class {
      private readonly elements = new Set<Element>();
      constructor(readonly callback: IntersectionObserverCallback) {}
      observe(element: Element) {
        this.elements.add(element);
        const report = () =>
          this.callback([{ isIntersecting: true, target: element } as IntersectionObserverEntry], {} as IntersectionObserver);
        observed.set(element, report);
        // As browsers do: an element that is already in sight when it is first observed is reported, too.
        if (inSight.has(element)) queueMicrotask(report);
      }
      unobserve(element: Element) {
        observed.delete(element);
      }
      disconnect() {
        for (const element of this.elements) observed.delete(element);
      }
    },
  );
  useToasts.setState({ toasts: [] });
  accept({ ...signedIn(), user: { ...mira, permissions: ["deals.write"] } });
  deals = [make("a", "new", "2020-01-01"), make("b", "new", "2999-02-02"), make("c", "offer", "2999-03-03")];
  const isWith = (query: URLSearchParams) => (deal: Deal) =>
    query.getAll("filter").includes(`stageId:is:${deal.stageId}`) && deal.outcome === "open";
  server.on("GET /api/team", () => ({ items: [], total: 0 }));
  server.on("GET /api/deals/pipeline", () => ({
    version: 1,
    reasons: [{ id: "price", name: "Price", outcome: "lost" }],
    stages: [
      { id: "new", name: "New", probability: 10 },
      { id: "talk", name: "Talk", probability: 30 },
      { id: "offer", name: "Offer", probability: 60 },
    ],
  }));
  server.on("GET /api/deals", ({ query }) => {
    const items = deals.filter(isWith(query));
    return { items, total: items.length };
  });
  server.on("GET /api/sums", () => {
    const open = deals.filter(({ outcome }) => outcome === "open");
    const groups = [...new Set(open.map(({ stageId }) => stageId))].map((value) => ({
      value,
      count: open.filter(({ stageId }) => stageId === value).length,
    }));
    return {
      groups,
      items: groups.map(({ value, count }) => ({ column: "value", group: value, currency: "EUR", sum: count * 100_000, count })),
    };
  });
});

const column = (name: string) => screen.getByRole("region", { name: new RegExp(`^${name}`) });
const cards = (name: string) =>
  within(column(name))
    .queryAllByRole("link")
    .map((link) => link.textContent);

async function show() {
  const result = renderApp(<Screen />, { path: "/customers/deals?as=board&q=shop" });
  await screen.findByRole("link", { name: "Deal c" });
  return result;
}

test("shows the open deals of each stage with number and sum, and the list's own request", async () => {
  await show();
  expect(cards("New")).toEqual(["Deal a", "Deal b"]);
  expect(cards("Talk")).toEqual([]);
  await waitFor(() => expect(column("New")).toHaveTextContent("€2,000"));
  expect(column("Talk")).toHaveTextContent("Nothing here yet");
  expect(column("New")).toHaveTextContent("(late)");
  expect(screen.getByRole("link", { name: "Deal a" })).toHaveAttribute("href", "/customers/deals/a?as=board&q=shop");
  const { query } = server.sent("GET /api/deals")[0] ?? {};
  expect(query?.getAll("filter")).toEqual(["outcome:is:open", "stageId:is:new"]);
  expect([query?.get("q"), query?.get("sort"), query?.get("limit")]).toEqual(["shop", "expectedDay", "30"]);
});

test("the sums of a column are exact, and have cents only where there are some", async () => {
  server.on("GET /api/sums", () => ({
    groups: [{ value: "new", count: 2 }],
    items: [
      { column: "value", group: "new", currency: "GBP", sum: 5_280_050, count: 1 },
      { column: "value", group: "new", currency: "JPY", sum: 1_200_000, count: 1 },
      { column: "value", group: "new", currency: "EUR", sum: 1_200_000, count: 1 },
    ],
  }));
  await show();
  await waitFor(() => expect(column("New")).toHaveTextContent("£52,800.50 · ¥1,200,000 · €12,000"));
});

test("a moved deal is at its place at once, with number and sums; undo moves it back", async () => {
  await show();
  let answer: (deal: Deal) => void = () => undefined;
  server.on(
    "PATCH /api/deals/a",
    () =>
      new Promise<Deal>((resolve) => {
        answer = resolve;
      }),
  );
  screen.getByRole("link", { name: "Deal a" }).focus();
  await userEvent.keyboard(" {ArrowRight}{ArrowRight} ");
  await waitFor(() => expect(cards("Offer")).toEqual(["Deal a", "Deal c"]));
  expect(cards("New")).toEqual(["Deal b"]);
  await waitFor(() => expect(column("Offer")).toHaveTextContent("€2,000"));
  expect(column("Offer")).toHaveTextContent("2 cards");
  expect(column("New")).toHaveTextContent("€1,000");
  expect(screen.getByRole("link", { name: "Deal a" })).toHaveFocus();
  const [call] = server.sent("PATCH /api/deals/a");
  expect(call?.body).toEqual({ stageId: "offer" });
  expect(call?.headers.get("If-Match")).toBe('"3"');

  deals = deals.map((deal) => (deal.id === "a" ? { ...deal, stageId: "offer", version: 4 } : deal));
  await act(async () => answer(deals[0] as Deal));
  await waitFor(() => expect(useToasts.getState().toasts.at(-1)?.text).toBe("“Deal a” moved to Offer."));
  server.on("PATCH /api/deals/a", () => {
    deals = deals.map((deal) => (deal.id === "a" ? { ...deal, stageId: "new", version: 5 } : deal));
    return deals[0];
  });
  await act(async () => useToasts.getState().toasts.at(-1)?.action?.run());
  await waitFor(() => expect(cards("New")).toEqual(["Deal a", "Deal b"]));
  expect(server.sent("PATCH /api/deals/a")[1]?.body).toEqual({ stageId: "new" });
  expect(server.sent("PATCH /api/deals/a")[1]?.headers.get("If-Match")).toBe('"4"');
});

test("a moved deal whose place was not read stays at the end of its column with the focus, and its toast is the only one", async () => {
  const moved = () => deals.find(({ id }) => id === "a") as Deal;
  server.on("GET /api/deals", ({ query }) => {
    const items = deals.filter((deal) => query.getAll("filter").includes(`stageId:is:${deal.stageId}`));
    const isLong = query.getAll("filter").includes("stageId:is:offer");
    return isLong ? { items: items.filter(({ id }) => id === "c"), total: 40, nextCursor: "more" } : { items, total: items.length };
  });
  deals = deals.map((deal) => (deal.id === "a" ? { ...deal, expectedDay: "2999-12-31" } : deal));
  server.on("GET /api/deals/a", moved);
  server.on("PATCH /api/deals/a", ({ body }) => {
    deals = deals.map((deal) => (deal.id === "a" ? { ...deal, ...(body as Partial<Deal>), version: deal.version + 1 } : deal));
    return moved();
  });
  await show();
  screen.getByRole("link", { name: "Deal a" }).focus();
  await userEvent.keyboard(" {ArrowRight} ");
  await waitFor(() => expect(cards("Talk")).toEqual(["Deal a"]));
  await userEvent.keyboard(" {ArrowRight} ");
  await waitFor(() => expect(useToasts.getState().toasts.map(({ text }) => text)).toEqual(["“Deal a” moved to Offer."]));
  await waitFor(() => expect(server.sent("GET /api/deals/a").length).toBeGreaterThan(0));
  await waitFor(() => expect(cards("Offer")).toEqual(["Deal c", "Deal a"]));
  expect(screen.getByRole("link", { name: "Deal a" })).toHaveFocus();
  await act(async () => useToasts.getState().toasts[0]?.action?.run());
  await waitFor(() => expect(cards("Talk")).toEqual(["Deal a"]));
});

test("a refused move returns the deal, its number and sum", async () => {
  await show();
  let refuse: () => void = () => undefined;
  server.on(
    "PATCH /api/deals/b",
    () =>
      new Promise((resolve) => {
        refuse = () => resolve(new Answer(403, { error: { code: "forbidden", message: "No." } }));
      }),
  );
  screen.getByRole("link", { name: "Deal b" }).focus();
  await userEvent.keyboard(" {ArrowRight} ");
  await waitFor(() => expect(cards("Talk")).toEqual(["Deal b"]));
  await act(async () => refuse());
  await waitFor(() => expect(cards("New")).toEqual(["Deal a", "Deal b"]));
  expect(cards("Talk")).toEqual([]);
  await waitFor(() => expect(column("New")).toHaveTextContent("2 cards"));
});

test("a deal that is dropped on a target is won and leaves the board", async () => {
  await show();
  server.on("PATCH /api/deals/c", () => {
    deals = deals.map((deal) => (deal.id === "c" ? { ...deal, outcome: "won" as const, version: 4 } : deal));
    return deals[2];
  });
  screen.getByRole("link", { name: "Deal c" }).focus();
  await userEvent.keyboard(" {ArrowDown} ");
  await waitFor(() => expect(cards("Offer")).toEqual([]));
  expect(server.sent("PATCH /api/deals/c")[0]?.body).toEqual({ outcome: "won" });
  await waitFor(() => expect(useToasts.getState().toasts.at(-1)?.text).toBe("“Deal c” is won."));
});

/** Presses Space on a card and carries it to the target for lost deals. */
async function loseByKeys(name: string) {
  screen.getByRole("link", { name }).focus();
  await userEvent.keyboard(" {ArrowDown}{ArrowRight} ");
}
async function loseByMenu(name: string) {
  await userEvent.click(screen.getByRole("button", { name: `Move “${name}”` }));
  await userEvent.click(await screen.findByRole("menuitem", { name: "Lost" }));
}

test.each([
  ["dropped on the target", loseByKeys],
  ["moved by its menu", loseByMenu],
])("a deal that is %s is lost once its reason was asked for", async (_way, lose) => {
  await show();
  server.on("PATCH /api/deals/c", () => {
    deals = deals.map((deal) => (deal.id === "c" ? { ...deal, outcome: "lost" as const, version: 4 } : deal));
    return deals[2];
  });
  await lose("Deal c");
  const dialog = within(await screen.findByRole("dialog", { name: "Why was “Deal c” lost?" }));
  expect(cards("Offer")).toEqual(["Deal c"]);
  await userEvent.click(dialog.getByRole("button", { name: /Reason/ }));
  await userEvent.click(await screen.findByRole("option", { name: "Price" }));
  await userEvent.type(dialog.getByLabelText("More about the reason"), "Half as much elsewhere.");
  await userEvent.click(dialog.getByRole("button", { name: "Mark as lost" }));
  await waitFor(() => expect(cards("Offer")).toEqual([]));
  expect(server.sent("PATCH /api/deals/c")[0]?.body).toEqual({
    outcome: "lost",
    reasonId: "price",
    reason: "Half as much elsewhere.",
  });
  await waitFor(() => expect(useToasts.getState().toasts.at(-1)?.text).toBe("“Deal c” is lost."));
});

test.each([
  ["keys", loseByKeys],
  ["the menu", loseByMenu],
])("a deal that is not lost after all, by %s, stays in its column with the focus", async (_way, lose) => {
  await show();
  await lose("Deal c");
  await userEvent.click(within(await screen.findByRole("dialog")).getByRole("button", { name: "Cancel" }));
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  expect(cards("Offer")).toEqual(["Deal c"]);
  expect(server.sent("PATCH /api/deals/c")).toHaveLength(0);
  expect(screen.getByText("“Deal c” stays in Offer.")).toBeInTheDocument();
  await waitFor(() => expect(screen.getByRole("link", { name: "Deal c" })).toHaveFocus());
});

// The kind of fault: the dialog closes before the answer, so that a failed save loses what was typed.
test("a reason that could not be saved is asked again as it was typed", async () => {
  await show();
  server.on("PATCH /api/deals/c", () => new Answer(503, { error: { code: "busy", message: "Try again." } }));
  await loseByMenu("Deal c");
  await userEvent.type(await screen.findByLabelText("More about the reason"), "Half as much elsewhere.");
  await userEvent.click(screen.getByRole("button", { name: "Mark as lost" }));
  await waitFor(() => expect(server.sent("PATCH /api/deals/c")).toHaveLength(1));
  expect(await screen.findByLabelText("More about the reason")).toHaveValue("Half as much elsewhere.");
  expect(cards("Offer")).toEqual(["Deal c"]);
});

test("Escape asks before a typed reason is lost, and Ctrl+Enter sends it", async () => {
  await show();
  server.on("PATCH /api/deals/c", () => ({ ...deals[2], outcome: "lost", version: 4 }));
  await loseByKeys("Deal c");
  const dialog = within(await screen.findByRole("dialog"));
  await userEvent.type(dialog.getByLabelText("More about the reason"), "Too slow.");
  await userEvent.keyboard("{Escape}");
  const question = await screen.findByRole("alertdialog", { name: "Discard your changes?" });
  await userEvent.click(within(question).getByRole("button", { name: "Cancel" }));
  await waitFor(() => expect(screen.queryByRole("alertdialog")).toBeNull());
  await userEvent.click(screen.getByLabelText("More about the reason"));
  await userEvent.keyboard("{Control>}{Enter}{/Control}");
  await waitFor(() => expect(server.sent("PATCH /api/deals/c")).toHaveLength(1));
  expect(server.sent("PATCH /api/deals/c")[0]?.body).toEqual({ outcome: "lost", reasonId: null, reason: "Too slow." });
});

test("with a filter for closed deals, it says that it shows open ones only, and leads to the table", async () => {
  renderApp(<Screen />, { path: "/customers/deals?as=board&filter=outcome:is:lost" });
  expect(await screen.findByText("The board shows open deals only")).toBeVisible();
  expect(screen.getByRole("link", { name: "Show as a table" })).toHaveAttribute("href", "/customers/deals?filter=outcome%3Ais%3Alost");
});

test("further deals are read before the end of a column is in sight", async () => {
  const many = Array.from({ length: 50 }, (_, number) => make(`n${number}`, "new", "2999-01-01"));
  server.on("GET /api/deals", ({ query }) => {
    if (!query.getAll("filter").includes("stageId:is:new")) return { items: [], total: 0 };
    const from = Number(query.get("cursor") ?? 0);
    const items = many.slice(from, from + Number(query.get("limit")));
    return { items, total: many.length, ...(from === 0 && { nextCursor: "30" }) };
  });
  renderApp(<Screen />, { path: "/customers/deals" });
  await waitFor(() => expect(cards("New")).toHaveLength(30));
  const end = screen.getByRole("button", { name: "Show more" }).closest("li") as Element;
  await scrollTo(end);
  await waitFor(() => expect(cards("New")).toHaveLength(50));
  expect(screen.queryByRole("button", { name: "Show more" })).toBeNull();
});

test("a card names who may buy: the organization, or else the person, if the reader may see them", async () => {
  deals = [
    make("a", "new", "2999-01-01", { organizationId: "o1", organizationName: "Zephyr Mills", customerId: "c1", customerName: "Ana" }),
    make("b", "new", "2999-01-02", { organizationId: "o2", customerId: "c3", customerName: "Eva" }),
    make("c", "offer", "2999-03-03", { customerId: "c2", customerName: "Rosa" }),
  ];
  await show();
  expect(screen.getByText("Zephyr Mills")).toBeInTheDocument();
  expect(screen.getByText("Eva")).toBeInTheDocument();
  expect(screen.getByText("Rosa")).toBeInTheDocument();
  expect(screen.queryByText("Ana")).toBeNull();
});
