import { screen, within } from "@testing-library/react";
import { beforeEach, expect, test } from "vitest";
import { accept } from "@/api/session";
import { makeDeal, pipeline } from "@/test/deals";
import { mira, signedIn } from "@/test/people";
import { renderApp } from "@/test/render";
import { standInServer } from "@/test/server";
import { Deals } from "./deals";

const server = standInServer();
const signIn = (permissions: string[]) => accept({ ...signedIn(), user: { ...mira, permissions } });
const show = () => renderApp(<Deals column="customerId" id="c1" parameters={{ person: "c1", organization: "o1" }} />);

beforeEach(() => {
  signIn(["deals.read", "deals.write"]);
  server.on("GET /api/deals/pipeline", () => pipeline);
});

test("shows open deals before closed ones, with what they are worth, and leads to a new one", async () => {
  const open = Array.from({ length: 6 }, (_, at) => makeDeal(`o${at}`, `Rugs ${at}`, { stageId: "proposal" }));
  const closed = Array.from({ length: 6 }, (_, at) =>
    makeDeal(`w${at}`, `Lamps ${at}`, { outcome: at === 0 ? "won" : "lost", value: { amount: 900, currency: "EUR" } }),
  );
  server.on("GET /api/deals", ({ query }) =>
    query.getAll("filter").includes("outcome:is:open") ? { items: open, total: 6 } : { items: closed, total: 6 },
  );
  show();
  const region = within(await screen.findByRole("region", { name: "Deals" }));
  await region.findAllByText("Proposal");
  expect(region.getAllByRole("listitem").map((item) => item.textContent)).toEqual([
    ...open.map(({ title }) => `${title}Proposal`),
    "Lamps 0Won€9",
    "Lamps 1Lost€9",
  ]);
  expect(server.sent("GET /api/deals").map(({ query }) => query.getAll("filter"))).toEqual([
    ["customerId:is:c1", "outcome:is:open"],
    ["customerId:is:c1", "outcome:not:open"],
  ]);
  expect(region.getByRole("link", { name: "Add deal" })).toHaveAttribute("href", "/customers/deals/new?person=c1&organization=o1");
  expect(region.getByRole("link", { name: "Show all 12" })).toHaveAttribute("href", "/customers/deals?filter=customerId%3Ais%3Ac1");
});

test("without deals, only those who may add one see it", async () => {
  server.on("GET /api/deals", () => ({ items: [], total: 0 }));
  const { unmount } = show();
  expect(await screen.findByText("No deals yet.")).toBeVisible();
  unmount();
  signIn(["customers.read"]);
  show();
  expect(screen.queryByRole("region")).toBeNull();
});
