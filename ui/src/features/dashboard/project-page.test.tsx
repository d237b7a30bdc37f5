import { screen } from "@testing-library/react";
import { beforeEach, expect, it, vi } from "vitest";
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
  const done = { doneThisWeek: 3, doneLastWeek: 2, doneComparable: true };
  const tasks = { dueToday: 1, overdue, overdueLastWeek, ...done, open: 9, openLastWeek: 9, openComparable: true };
  const rest = { flow: [], today: { events: 0, tasks: 1 }, upcoming: [], workload: [], activity: [] };
  server.on("GET /api/dashboards/project", () => ({ tasks, ...rest }));
  renderApp(<ProjectPage />, { path: "/dashboard" });
  const figures = await card("Overdue");
  expect(figures).toHaveTextContent(text);
  expect(figures.querySelector(".font-semibold")).toHaveClass(look);
  expect(await card("Completed this week")).toHaveTextContent("50% more than at this point last week");
  expect(await card("Open")).toHaveTextContent("No change from last week");
});

const figures = {
  tasks: {
    dueToday: 0,
    overdue: 0,
    overdueLastWeek: 0,
    doneThisWeek: 0,
    doneLastWeek: 0,
    doneComparable: false,
    open: 0,
    openLastWeek: 0,
    openComparable: false,
  },
  flow: [],
  today: { events: 0, tasks: 0 },
  upcoming: [],
  workload: [],
  activity: [],
};

// A figure is compared only with a time at which the company existed: one minute old, it had "No change from last week"
// (F-U2).
it.each([
  ["neither", false, false, []],
  ["what was done", true, false, ["Completed this week"]],
  ["what was open", false, true, ["Overdue", "Open"]],
])("compares %s while that is all that there was a week ago", async (_, doneComparable, openComparable, compared) => {
  server.on("GET /api/dashboards/project", () => ({ ...figures, tasks: { ...figures.tasks, doneComparable, openComparable } }));
  renderApp(<ProjectPage />, { path: "/dashboard" });
  await card("Overdue");
  const titles = ["Overdue", "Completed this week", "Open"];
  const says = await Promise.all(titles.map(async (title) => (await card(title)).textContent?.includes("last week")));
  expect(titles.filter((_, at) => says[at])).toEqual(compared);
});

it("shows the open deals by stage and what was won this month, and leads to exactly these deals", async () => {
  accept({ ...signedIn(), user: { ...mira, permissions: ["deals.read"] } });
  server.on("GET /api/dashboards/project", () => figures);
  server.on("GET /api/deals/pipeline", () => ({
    stages: [
      { id: "new", name: "New", probability: 10 },
      { id: "offer", name: "Offer", probability: 50 },
    ],
    reasons: [],
  }));
  server.on("GET /api/sums", ({ query }) =>
    query.get("by") === "stageId"
      ? { items: [{ column: "value", group: "new", currency: "EUR", sum: 120_000, count: 2 }], groups: [{ value: "new", count: 3 }] }
      : { items: [{ column: "value", group: "won", currency: "EUR", sum: 50_000, count: 1 }], groups: [{ value: "won", count: 1 }] },
  );
  renderApp(<ProjectPage />, { path: "/dashboard" });
  const stage = await screen.findByRole("link", { name: "New" });
  expect(stage.closest("li")).toHaveTextContent("New3€1,200");
  expect(stage).toHaveAttribute("href", "/customers/deals?filter=outcome%3Ais%3Aopen&filter=stageId%3Ais%3Anew");
  expect(screen.getByRole("link", { name: "Offer" }).closest("li")).toHaveTextContent("Offer0");
  const won = screen.getByRole("link", { name: "Won this month" });
  expect(won.closest("div")).toHaveTextContent("1€500");
  expect(won.getAttribute("href")).toMatch(/^\/customers\/deals\?filter=outcome%3Ais%3Awon&filter=closedAt%3Agte%3A\d{4}-\d{2}-01$/);
});

it("says nothing of deals while the company has none", async () => {
  accept({ ...signedIn(), user: { ...mira, permissions: ["deals.read"] } });
  server.on("GET /api/dashboards/project", () => figures);
  server.on("GET /api/deals/pipeline", () => ({ stages: [{ id: "new", name: "New", probability: 10 }], reasons: [] }));
  const asked: string[] = [];
  server.on("GET /api/sums", ({ query }) => {
    asked.push(query.get("by") ?? "");
    return { items: [], groups: [] };
  });
  renderApp(<ProjectPage />, { path: "/dashboard" });
  await vi.waitFor(() => expect(asked.sort()).toEqual(["outcome", "stageId"]));
  expect(screen.queryByRole("link", { name: "New" })).toBeNull();
});

// Two statements of one screen agree: "No open tasks" stood beside "Open 5", because no one was assigned (F-M6).
const loaded = (open: number, ...loads: number[]) => ({
  ...figures,
  tasks: { ...figures.tasks, open },
  workload: loads.map((count, number) => ({ memberId: `m${number}`, name: `Person ${number}`, open: count })),
});
it.each([
  ["no task is open", loaded(0), "No open tasks", "Tasks assigned to someone are counted here."],
  ["no open task is assigned", loaded(5), "No assigned tasks", "5 open tasks aren’t assigned to anyone on the team."],
  ["one is not assigned", loaded(5, 3, 1), "Person 0", "1 open task isn’t assigned to anyone on the team."],
])("when %s, the workload says so", async (_, answer, first, second) => {
  server.on("GET /api/dashboards/project", () => answer);
  renderApp(<ProjectPage />, { path: "/dashboard" });
  expect(await screen.findByText(first)).toBeVisible();
  expect(screen.getByText(second)).toBeVisible();
});

it.each([
  ["all are assigned", loaded(4, 3, 1)],
  ["more people have tasks than are named", loaded(500, ...Array<number>(20).fill(2))],
])("when %s, nothing is said of unassigned tasks", async (_, answer) => {
  server.on("GET /api/dashboards/project", () => answer);
  renderApp(<ProjectPage />, { path: "/dashboard" });
  expect(await screen.findByText("Person 0")).toBeVisible();
  expect(screen.queryByText(/assigned to anyone/)).toBeNull();
});
