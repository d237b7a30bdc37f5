import { screen } from "@testing-library/react";
import { expect, it } from "vitest";
import { accept } from "@/api/session";
import { mira, signedIn } from "@/test/people";
import { renderApp } from "@/test/render";
import { standInServer } from "@/test/server";
import { DashboardFrame } from "./dashboard-frame";

const server = standInServer();

it("greets with the number of the member's own tasks", async () => {
  accept({ ...signedIn(), user: mira });
  server.on("GET /api/dashboards/project", () => ({ today: { tasks: 6, events: 2 } }));
  server.on("GET /api/tasks", () => ({ items: [], total: 1 }));
  renderApp(<DashboardFrame />, { path: "/dashboard" });
  expect(await screen.findByText("1 task")).toBeVisible();
  expect(screen.queryByText("6 tasks")).toBeNull();
  expect(Object.fromEntries(server.sent("GET /api/tasks")[0]?.query ?? [])).toEqual({
    assigneeId: "u1",
    due: "today",
    completed: "false",
    limit: "1",
  });
});
