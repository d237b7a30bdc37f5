import { screen } from "@testing-library/react";
import { beforeEach, expect, it } from "vitest";
import { accept } from "@/api/session";
import { mira, signedIn } from "@/test/people";
import { renderApp } from "@/test/render";
import { standInServer } from "@/test/server";
import { ProjectPage } from "./project-page";

const server = standInServer();

beforeEach(() => {
  accept({ ...signedIn(), user: mira });
  server.on("GET /api/tasks", () => ({ items: [], total: 1 }));
});

const card = async (title: string) => (await screen.findByRole("link", { name: title })).closest("section") as HTMLElement;

it.each([
  [3, 5, "2 fewer than last week", "text-ok"],
  [5, 3, "2 more than last week", "text-bad"],
  [4, 4, "No change from last week", "text-soft"],
])("with %i overdue tasks after %i the card says %j", async (overdue, overdueLastWeek, text, look) => {
  const tasks = { dueToday: 1, overdue, overdueLastWeek, doneThisWeek: 3, doneLastWeek: 2, open: 9, openLastWeek: 9 };
  const rest = { flow: [], today: { events: 0, tasks: 1 }, upcoming: [], workload: [], activity: [] };
  server.on("GET /api/dashboards/project", () => ({ tasks, ...rest }));
  renderApp(<ProjectPage />, { path: "/dashboard" });
  const figures = await card("Overdue");
  expect(figures).toHaveTextContent(text);
  expect(figures.querySelector(".font-semibold")).toHaveClass(look);
  expect(await card("Completed this week")).toHaveTextContent("50% more than at this point last week");
  expect(await card("Open")).toHaveTextContent("No change from last week");
});
