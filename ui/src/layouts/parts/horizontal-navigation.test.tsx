import { act, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it, vi } from "vitest";
import { items } from "@/test/navigation";
import { renderApp } from "@/test/render";
import { HorizontalNavigation } from "./horizontal-navigation";

const open = (path = "/tasks") => renderApp(<HorizontalNavigation items={items} />, { path });

it("shows entries with children as menus and the others as links", async () => {
  const { router } = open("/stock/goods");
  const bar = screen.getByRole("navigation", { name: "Navigation" });
  expect(
    within(bar)
      .getAllByRole("button")
      .map((one) => one.textContent),
  ).toEqual(["Work", "Stock", "Money", "Reports"]);
  expect(
    within(bar)
      .getAllByRole("link")
      .map((one) => one.textContent),
  ).toEqual(["Settings", "Outside"]);

  await userEvent.click(screen.getByRole("button", { name: "Work" }));
  const menu = await screen.findByRole("menu");
  expect(
    within(menu)
      .getAllByRole("menuitem")
      .map((one) => one.textContent),
  ).toEqual(["Tasks12", "CustomersWho buys", "Later"]);
  expect(within(menu).getByRole("menuitem", { name: "Later" })).toHaveAttribute("aria-disabled", "true");
  expect(within(menu).getByRole("separator")).toBeInTheDocument();
  await userEvent.click(within(menu).getByRole("menuitem", { name: /^Tasks/ }));
  expect(router.state.location.pathname).toBe("/tasks");
});

it("opens a submenu for a nested branch by keyboard", async () => {
  const { router } = open();
  screen.getByRole("button", { name: "Stock" }).focus();
  await userEvent.keyboard("{Enter}");
  await screen.findByRole("menuitem", { name: "Goods" });
  await userEvent.keyboard("{ArrowDown}{ArrowRight}");
  const yard = await screen.findByRole("menuitem", { name: "Yard" });
  await userEvent.click(yard);
  expect(router.state.location.pathname).toBe("/stock/places/yard");
});

it("moves entries that do not fit into the More menu", async () => {
  // All entries after the second are on a second line.
  vi.spyOn(HTMLElement.prototype, "offsetTop", "get").mockImplementation(function (this: HTMLElement) {
    return this.tagName === "LI" && Array.from(this.parentElement?.children ?? []).indexOf(this) > 1 ? 52 : 0;
  });
  const measured: (() => void)[] = [];
  vi.stubGlobal(
    "ResizeObserver",
    class {
      constructor(tell: () => void) {
        measured.push(tell);
      }
      observe() {}
      unobserve() {}
      disconnect() {}
    },
  );
  const { router } = open();
  act(() => {
    for (const tell of measured) tell();
  });
  expect(screen.getByRole("button", { name: "Work" })).toBeVisible();
  expect(screen.getByText("Stock").closest("li")).toHaveClass("invisible");
  await userEvent.click(screen.getByRole("button", { name: "More" }));
  await userEvent.click(await screen.findByRole("menuitem", { name: "Settings" }));
  expect(router.state.location.pathname).toBe("/settings");
});
