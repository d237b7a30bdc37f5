import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, it } from "vitest";
import type { Notice } from "@/api/schema";
import { Toaster } from "@/components/toaster";
import { useToasts } from "@/lib/toast";
import { renderApp } from "@/test/render";
import { Answer, standInServer } from "@/test/server";
import { NotificationsPage } from "./notices-page";

const server = standInServer();
const base = "/api/common/notifications";
let list: Notice[];
let bin: Notice[];

beforeEach(() => {
  useToasts.setState({ toasts: [] });
  bin = [];
  list = Array.from({ length: 60 }, (_, at) => ({
    id: `n${at}`,
    read: at % 2 === 1,
    seen: true,
    title: `Title ${at}`,
    description: at === 7 ? "<b>Needle</b>" : "Hay",
    time: new Date(Date.UTC(2026, 10, 21) - at * 3_600_000).toISOString(),
    useRouter: false,
  }));
  server.on(`GET ${base}`, ({ query }) => {
    const wanted = list.filter(
      (one) => !(query.get("unread") && one.read) && `${one.title} ${one.description}`.toLowerCase().includes(query.get("q") ?? ""),
    );
    const from = wanted.findIndex(({ id }) => id === query.get("before")) + 1;
    return wanted.slice(from, from + Number(query.get("limit") ?? 200));
  });
  server.on(`GET ${base}/unread`, () => ({ unread: list.filter(({ read }) => !read).length }));
  server.on(`POST ${base}/seen`, () => true);
  server.on(`GET ${base}/mark-all-as-read`, () => {
    list = list.map((one) => ({ ...one, read: true }));
    return true;
  });
  server.on(`POST ${base}/batch`, ({ body }) => {
    const { ids, action } = body as { ids: string[]; action: string };
    if (action === "remove") {
      bin = list.filter(({ id }) => ids.includes(id));
      list = list.filter(({ id }) => !ids.includes(id));
    } else list = list.map((one) => (ids.includes(one.id) ? { ...one, read: action === "read" } : one));
    return [];
  });
  server.on(`POST ${base}/restore`, () => {
    list = [...list, ...bin].sort((a, b) => b.time.localeCompare(a.time));
    return bin;
  });
});

function show(path = "/notifications") {
  const app = renderApp(
    <>
      <NotificationsPage />
      <Toaster />
    </>,
    { path },
  );
  const rows = () => screen.findAllByRole("listitem");
  const choose = async (at: number) => userEvent.click(within((await rows())[at] as HTMLElement).getByRole("checkbox"));
  return { ...app, rows, choose, bar: () => within(screen.getByRole("toolbar")) };
}

it("shows fifty items, and the rest on Show more", async () => {
  const { rows } = show();
  expect(await rows()).toHaveLength(50);
  expect(screen.getByText("30 unread notifications")).toBeVisible();
  await userEvent.click(screen.getByRole("button", { name: "Show more" }));
  await waitFor(async () => expect(await rows()).toHaveLength(60));
  expect(server.sent(`GET ${base}`).at(-1)?.query.get("before")).toBe("n49");
  expect(screen.queryByRole("button", { name: "Show more" })).toBeNull();
});

it("filters by unread and by text, and keeps both in the address", async () => {
  const { rows, router } = show();
  await rows();
  await userEvent.click(screen.getByRole("radio", { name: "Unread (30)" }));
  await waitFor(async () => expect(await rows()).toHaveLength(30));
  expect(router.state.location.search).toBe("?show=unread");
  await userEvent.type(screen.getByRole("searchbox"), "needle");
  expect(await screen.findByText("No matches")).toBeVisible();
  expect(router.state.location.search).toBe("?show=unread&q=needle");
  await userEvent.click(screen.getByRole("radio", { name: "All" }));
  await waitFor(async () => expect(await rows()).toHaveLength(1));
  await userEvent.clear(screen.getByRole("searchbox"));
  await waitFor(async () => expect(await rows()).toHaveLength(50));
});

it("marks and removes selected items in one request each, and undoes the removal", async () => {
  const { rows, choose, bar } = show();
  await choose(0);
  await choose(2);
  expect(bar().getByText("2 selected")).toBeInTheDocument();
  await userEvent.click(bar().getAllByRole("button", { name: "Mark as read" })[0] as HTMLElement);
  expect(server.sent(`POST ${base}/toggle-read-status`)).toHaveLength(0);
  expect(await screen.findByText("28 unread notifications")).toBeVisible();
  expect(screen.queryByRole("toolbar")).toBeNull();

  await choose(0);
  await choose(2);
  await userEvent.click(bar().getAllByRole("button", { name: "Remove" })[0] as HTMLElement);
  expect(await screen.findByText("2 notifications removed")).toBeVisible();
  expect(server.sent(`POST ${base}/batch`).at(-1)?.body).toEqual({ ids: ["n0", "n2"], action: "remove" });
  // HTML sanitizing does not work in the tests' browser: items are identified by their times.
  const times = async () => (await rows()).map((row) => row.querySelector("time")?.dateTime);
  expect(await times()).not.toContain("2026-11-21T00:00:00.000Z");
  await userEvent.click(screen.getAllByRole("button", { name: "Undo" }).at(-1) as HTMLElement);
  await waitFor(async () => expect((await times())[0]).toBe("2026-11-21T00:00:00.000Z"));
  expect(server.sent(`POST ${base}/restore`)[0]?.body).toEqual({ ids: ["n0", "n2"] });
  expect(await rows()).toHaveLength(50);
});

it("selects all shown items, and clears a selection by Escape", async () => {
  const { choose, bar } = show();
  await choose(3);
  await userEvent.keyboard("{Escape}");
  expect(screen.queryByRole("toolbar")).toBeNull();
  await userEvent.click(screen.getByRole("checkbox", { name: "Select all shown" }));
  expect(bar().getByText("50 selected")).toBeInTheDocument();
  await choose(0);
  expect(bar().getByText("49 selected")).toBeInTheDocument();
  expect(screen.getByRole("checkbox", { name: "Select all shown" })).toBePartiallyChecked();
});

it("says when everything is read, and when there is nothing", async () => {
  const { rows } = show("/notifications?show=unread");
  expect(await rows()).toHaveLength(30);
  await userEvent.click(screen.getByRole("button", { name: "Mark all as read" }));
  expect(await screen.findByText("You have no unread notifications.")).toBeVisible();
  list = [];
  await userEvent.click(screen.getByRole("button", { name: "See all notifications" }));
  expect(await screen.findByText("When you have notifications, they will appear here.")).toBeVisible();
});

it("says what went wrong and tries again", async () => {
  const working = () => list.slice(0, 3);
  server.on(`GET ${base}`, () => new Answer(500, { error: { code: "internal", message: "Something went wrong on our side." } }));
  const { rows } = show();
  expect(await screen.findByText("Something went wrong on our side.")).toBeVisible();
  server.on(`GET ${base}`, working);
  await userEvent.click(screen.getByRole("button", { name: "Try again" }));
  expect(await rows()).toHaveLength(3);
});
