import { act, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import i18n from "i18next";
import { expect, it, vi } from "vitest";
import { bringIntoView } from "@/lib/into-view";
import { items } from "@/test/navigation";
import { renderApp } from "@/test/render";
import { branchesTo, isActive } from "./navigation-words";
import { VerticalNavigation } from "./vertical-navigation";

vi.mock("@/lib/into-view");

const open = (path = "/tasks", props: Partial<Parameters<typeof VerticalNavigation>[0]> = {}) =>
  renderApp(<VerticalNavigation items={items} {...props} />, { path });
const button = (name: RegExp | string) => screen.getByRole("button", { name });

it("shows every kind of entry, and omits hidden ones", () => {
  open();
  const nav = screen.getByRole("navigation", { name: "Navigation" });
  expect(within(nav).getByRole("list", { name: "Work What there is to do" })).toBeVisible();
  expect(screen.getByRole("link", { name: "Tasks 12" })).toHaveAttribute("href", "/tasks");
  expect(screen.getByRole("link", { name: "Customers Who buys" })).toBeVisible();
  expect(screen.queryByText("Secret")).toBeNull();
  expect(screen.getByRole("link", { name: "Later" })).toHaveAttribute("aria-disabled", "true");
  expect(screen.getByRole("link", { name: "Later" })).not.toHaveAttribute("href");
  expect(nav.querySelectorAll("li[aria-hidden]")).toHaveLength(2);
});

it("opens external links in a new window, and omits script links", () => {
  open();
  const outside = screen.getByRole("link", { name: "Outside" });
  expect(outside).toHaveAttribute("target", "_blank");
  expect(outside).toHaveAttribute("rel", "noopener noreferrer");
  expect(screen.queryByRole("link", { name: "Harmful" })).toBeNull();
});

it("marks the current entry, also on subpaths unless it needs an exact match", () => {
  const { unmount } = open("/customers/7");
  expect(screen.getByRole("link", { current: "page" })).toHaveTextContent("Customers");
  unmount();
  open("/settings/account");
  expect(screen.queryByRole("link", { current: "page" })).toBeNull();
});

it("marks the dashboard entries as active on their tabs", () => {
  const [dashboard, project] = [
    { id: "dashboard", title: "", type: "basic" as const, link: "/dashboard" },
    { id: "dashboards.project", title: "", type: "basic" as const, link: "/dashboards/project" },
  ];
  expect(isActive(dashboard, "/dashboards/analytics")).toBe(true);
  expect(isActive(project, "/dashboard")).toBe(true);
  expect(isActive(project, "/dashboards/analytics")).toBe(false);
  expect(isActive(dashboard, "/dashboardish")).toBe(false);
});

it("finds the branches that contain a path", () => {
  expect(branchesTo(items, "/stock/places/yard")).toEqual(["stock", "places"]);
  expect(branchesTo(items, "/tasks")).toEqual([]);
});

it("opens the branch of the current path, follows navigation, and closes other branches", async () => {
  const { router } = open("/stock/places/yard");
  expect(screen.getByRole("link", { name: "Yard" })).toHaveAttribute("aria-current", "page");
  expect(button("Stock")).toHaveAttribute("aria-expanded", "true");

  await userEvent.click(button("Money"));
  expect(screen.getByRole("link", { name: "Bills" })).toBeVisible();
  expect(screen.queryByRole("link", { name: "Yard" })).toBeNull();
  expect(button("Stock")).toHaveAttribute("aria-expanded", "false");

  await userEvent.click(button("Stock"));
  await userEvent.click(button("Places"));
  expect(screen.getByRole("link", { name: "Goods" })).toBeVisible();
  expect(screen.getByRole("link", { name: "Shelves" })).toBeVisible();
  await userEvent.click(button("Places"));
  expect(screen.getByRole("link", { name: "Goods" })).toBeVisible();
  expect(screen.queryByRole("link", { name: "Shelves" })).toBeNull();

  await act(() => router.navigate("/money/bills"));
  expect(screen.getByRole("link", { name: "Bills" })).toHaveAttribute("aria-current", "page");
  expect(button("Stock")).toHaveAttribute("aria-expanded", "false");
});

it("scrolls the current entry into view", async () => {
  vi.mocked(bringIntoView).mockClear();
  const { router } = open("/stock/goods");
  await act(() => router.navigate("/money/bills"));
  expect(vi.mocked(bringIntoView).mock.calls.map(([element]) => element.textContent)).toEqual(["Goods", "Bills"]);
});

it.each(["default", "compact", "thin"] as const)(
  "opens a column beside the %s navigation, and closes it by Escape, Tab, an outside click or a choice",
  async (appearance) => {
    const { router } = open("/tasks", { appearance });
    const reports = () => button(/Reports/);
    const year = () => screen.queryByRole("link", { name: "Year" });
    await userEvent.click(reports());
    expect(reports()).toHaveAttribute("aria-expanded", "true");
    expect(year()).toBeVisible();

    await userEvent.keyboard("{Escape}");
    expect(year()).toBeNull();
    expect(reports()).toHaveFocus();

    await userEvent.keyboard("{Enter}{Tab}{Tab}");
    expect(screen.getByRole("link", { name: "Month" })).toHaveFocus();
    await userEvent.tab();
    expect(year()).toBeNull();

    await userEvent.click(reports());
    const dim = reports().nextElementSibling;
    if (!dim) throw new Error("Nothing is dimmed");
    await userEvent.click(dim);
    expect(year()).toBeNull();

    await userEvent.click(reports());
    await userEvent.click(screen.getByRole("link", { name: "Year" }));
    expect(router.state.location.pathname).toBe("/reports/year");
    expect(year()).toBeNull();
    expect(reports()).toHaveFocus();
  },
);

it("reports a followed link when shown over the page", async () => {
  const followed = vi.fn();
  open("/tasks", { over: true, onFollow: followed });
  await userEvent.click(button(/Reports/));
  await userEvent.click(screen.getByRole("link", { name: "Year" }));
  expect(followed).toHaveBeenCalledOnce();
});

it("shows names and hints as tooltips when thin", async () => {
  open("/tasks", { appearance: "thin" });
  await userEvent.hover(screen.getByRole("link", { name: "Tasks 12" }));
  expect(await screen.findByRole("tooltip")).toHaveTextContent("Tasks");
  await userEvent.unhover(screen.getByRole("link", { name: "Tasks 12" }));
  await userEvent.hover(button(/Reports/));
  expect(await screen.findByText("Figures")).toHaveRole("tooltip");
  await userEvent.unhover(button(/Reports/));
  await userEvent.hover(screen.getByRole("link", { name: "Settings" }));
  expect(await screen.findByText("How it behaves")).toHaveRole("tooltip");
});

it("hides nested entries when dense, and keeps the names of icons", () => {
  open("/stock/goods", { appearance: "dense" });
  expect(screen.getByRole("link", { name: "Tasks 12" })).toBeVisible();
  expect(screen.queryByRole("link", { name: "Goods" })).toBeNull();
});

it("changes its texts when the language changes", async () => {
  open();
  i18n.addResource("es", "translation", "navigation.tasks", "Tareas");
  await act(() => i18n.changeLanguage("es"));
  expect(screen.getByRole("link", { name: "Tareas 12" })).toBeVisible();
  await act(() => i18n.changeLanguage("en"));
});
