import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, test, vi } from "vitest";
import type { DealForecast } from "@/api/schema";
import { accept } from "@/api/session";
import { pipeline } from "@/test/deals";
import { mira, signedIn } from "@/test/people";
import { renderApp } from "@/test/render";
import { standInServer } from "@/test/server";
import { setWidth } from "@/test/width";
import { ForecastPage } from "./forecast-page";
import { addMonths, forecastRows, totalOf } from "./forecast-rows";

const server = standInServer();
const amounts = (count: number, ...sums: [string, number, number][]) => ({
  count,
  sums: sums.map(([currency, sum, weighted]) => ({ currency, sum, weighted })),
});
const forecast: DealForecast = {
  overdue: amounts(1, ["EUR", 10_050, 1_005]),
  undated: amounts(2),
  months: [
    { month: "2026-11", open: amounts(3, ["EUR", 1_000_000, 250_000], ["USD", 50_000, 5_000]), won: amounts(1, ["EUR", 400_000, 400_000]) },
    { month: "2026-12", open: amounts(0), won: amounts(0) },
  ],
};

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: new Date("2026-11-26T10:00:00Z") });
  accept({ ...signedIn(), user: { ...mira, permissions: ["deals.read", "deals.write"] } });
  server.on("GET /api/team", () => ({ items: [], total: 0 }));
  server.on("GET /api/team/former", () => ({ items: [] }));
  server.on("GET /api/deals/pipeline", () => pipeline);
  server.on("GET /api/deals/forecast", () => forecast);
  return () => vi.useRealTimers();
});

test("months are counted across years", () => {
  expect([addMonths("2026-11", 2), addMonths("2026-01", -1), addMonths("2026-11", -24)]).toEqual(["2027-01", "2025-12", "2024-11"]);
});

test("lines without deals are left out before the first month and after the last one", () => {
  const quiet = forecastRows({ ...forecast, overdue: amounts(0), undated: amounts(0) });
  expect(quiet.map(({ key }) => key)).toEqual(["2026-11", "2026-12"]);
  expect(totalOf(forecastRows(forecast).map(({ open }) => open.amounts))).toEqual(
    amounts(6, ["EUR", 1_010_050, 251_005], ["USD", 50_000, 5_000]),
  );
});

test("each figure leads to its deals, with the filters of the forecast", async () => {
  await setWidth(1440);
  renderApp(<ForecastPage />, { path: "/customers/deals/forecast?filter=ownerId:is:u1" });
  const table = within(await screen.findByRole("table", { name: "Forecast" }));
  expect(server.sent("GET /api/deals/forecast")[0]?.query.toString()).toBe("months=6&filter=ownerId%3Ais%3Au1");
  const target = (name: string) => decodeURIComponent(table.getByRole("link", { name }).getAttribute("href") ?? "");
  const month = "filter=expectedDay:gte:2026-11-01&filter=expectedDay:lte:2026-11-30";
  expect(target("November 2026, Open: €10,000.00")).toBe(
    `/customers/deals?filter=outcome:is:open&${month}&filter=ownerId:is:u1&filter=value:is:EUR`,
  );
  expect(target("November 2026, Open: 3 deals")).toBe(`/customers/deals?filter=outcome:is:open&${month}&filter=ownerId:is:u1`);
  expect(target("November 2026, Weighted: $50")).toBe(
    `/customers/deals?filter=outcome:is:open&${month}&filter=ownerId:is:u1&filter=value:is:USD`,
  );
  expect(target("November 2026, Won: 1 deal")).toBe(
    "/customers/deals?filter=outcome:is:won&filter=closedAt:gte:2026-11-01&filter=closedAt:lte:2026-11-30&filter=ownerId:is:u1",
  );
  expect(target("Expected before November 2026, Open: 1 deal")).toBe(
    "/customers/deals?filter=outcome:is:open&filter=expectedDay:lte:2026-10-31&filter=ownerId:is:u1",
  );
  expect(target("No expected day, Open: 2 deals")).toBe(
    "/customers/deals?filter=outcome:is:open&filter=expectedDay:empty&filter=ownerId:is:u1",
  );
  expect(target("Expected before November 2026, Open: €100.50")).toContain("value:is:EUR");
  // What is weighted is an estimate.
  expect(target("Expected before November 2026, Weighted: €10.05")).toContain("value:is:EUR");
  expect(table.getByRole("row", { name: /^Total/ })).toHaveTextContent("Total€10,100.50$500€2,510.05$50€4,000.00");
});

test("the search of the list narrows the forecast, is in the address, and in those to which figures lead", async () => {
  await setWidth(1440);
  const { router } = renderApp(<ForecastPage />, { path: "/customers/deals/forecast?q=rugs" });
  const search = await screen.findByRole("searchbox", { name: "Search deals" });
  expect(search).toHaveValue("rugs");
  await screen.findByRole("table", { name: "Forecast" });
  expect(server.sent("GET /api/deals/forecast")[0]?.query.toString()).toBe("months=6&q=rugs");
  const figure = screen.getByRole("link", { name: "November 2026, Won: 1 deal" });
  expect(new URLSearchParams(figure.getAttribute("href")?.split("?")[1]).get("q")).toBe("rugs");
  await userEvent.clear(search);
  await userEvent.type(search, "lamps");
  await waitFor(() => expect(router.state.location.search).toBe("?q=lamps"));
  await waitFor(() => expect(server.sent("GET /api/deals/forecast").at(-1)?.query.get("q")).toBe("lamps"));
});

test("a forecast without deals says that nothing was found, and what to do about it", async () => {
  await setWidth(1440);
  const nothing = { overdue: amounts(0), undated: amounts(0), months: [{ month: "2026-11", open: amounts(0), won: amounts(0) }] };
  server.on("GET /api/deals/forecast", ({ query }) => (query.has("q") || query.get("from") === "2026-05" ? nothing : forecast));
  const { router } = renderApp(<ForecastPage />, { path: "/customers/deals/forecast?q=rugs" });
  expect(await screen.findByText("No matches")).toBeVisible();
  expect(screen.queryByRole("table")).toBeNull();
  await userEvent.click(screen.getByRole("button", { name: "Clear filters" }));
  expect(await screen.findByRole("table", { name: "Forecast" })).toBeVisible();
  expect(router.state.location.search).toBe("");
  await userEvent.click(screen.getByRole("button", { name: "Earlier months" }));
  expect(await screen.findByText("Nothing expected or won in these months")).toBeVisible();
  expect(screen.queryByRole("table")).toBeNull();
});

test("other months are in the address, and the present ones are not", async () => {
  const { router } = renderApp(<ForecastPage />, { path: "/customers/deals/forecast?filter=outcome:is:open" });
  await userEvent.click(await screen.findByRole("button", { name: "Earlier months" }));
  expect(router.state.location.search).toBe("?filter=outcome%3Ais%3Aopen&from=2026-05");
  expect(await screen.findByText("May 2026 – Oct 2026")).toBeVisible();
  // Both what is open and what was won is asked for.
  expect(server.sent("GET /api/deals/forecast").at(-1)?.query.toString()).toBe("from=2026-05&months=6");
  await userEvent.click(screen.getByRole("button", { name: "Later months" }));
  expect(router.state.location.search).toBe("?filter=outcome%3Ais%3Aopen");
});

test("on phones, the months are a list", async () => {
  await setWidth(390);
  renderApp(<ForecastPage />, { path: "/customers/deals/forecast" });
  const list = within(await screen.findByRole("list", { name: "Forecast" }));
  expect(list.getAllByRole("heading").map((one) => one.textContent)).toEqual([
    "Expected before November 2026",
    "November 2026",
    "December 2026",
    "No expected day",
    "Total",
  ]);
  expect(list.getAllByRole("listitem").at(-1)).toHaveTextContent("TotalOpen€10,100.50$500Weighted€2,510.05$50Won€4,000.00");
  expect(list.getByRole("link", { name: "November 2026, Won: €4,000.00" })).toBeVisible();
});
