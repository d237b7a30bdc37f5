import { screen } from "@testing-library/react";
import { expect, it } from "vitest";
import { accept } from "@/api/session";
import { signedIn } from "@/test/people";
import { renderApp } from "@/test/render";
import { standInServer } from "@/test/server";
import { AnalyticsPage } from "./analytics-page";

const server = standInServer();

const analytics = (before?: number) => ({
  customers: {
    total: 300,
    ...(before !== undefined && { before }),
    series: [
      { date: "2026-11-20", total: 400 },
      { date: "2026-11-21", total: 300 },
    ],
    byStatus: [],
    byTag: [],
  },
  weeks: [],
  activity: [],
});

// The growth compared today's customers with themselves: after 100 of 400 were deleted it was "+174" (F-U2).
it.each([
  ["fewer than at its beginning", 400, "300−100 in this period"],
  ["more than at its beginning", 126, "300+174 in this period"],
  ["none before", 0, "300+300 in this period"],
])("says how the number of customers changed in the period: %s", async (_, before, text) => {
  accept(signedIn());
  server.on("GET /api/dashboards/analytics", () => analytics(before));
  renderApp(<AnalyticsPage />, { path: "/dashboards/analytics" });
  const total = await screen.findByText("300", { selector: "b.text-3xl" });
  expect(total.parentElement?.textContent?.replace("-", "−")).toBe(text);
});

it("says nothing of growth when the company did not exist at the beginning of the period", async () => {
  accept(signedIn());
  server.on("GET /api/dashboards/analytics", () => analytics());
  renderApp(<AnalyticsPage />, { path: "/dashboards/analytics" });
  const total = await screen.findByText("300", { selector: "b.text-3xl" });
  expect(total.parentElement).toHaveTextContent(/^300$/);
});
