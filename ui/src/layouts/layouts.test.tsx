import { act, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useState } from "react";
import { createPortal } from "react-dom";
import { beforeEach, describe, expect, it } from "vitest";
import { type LayoutName, layouts } from "@/lib/layout";
import { navigation } from "@/test/navigation";
import { renderApp } from "@/test/render";
import { setWidth } from "@/test/width";
import { useColumn } from "./parts/column";
import { loadLayout, useLayout } from "./register";
import { type LayoutSlots, toolOrder } from "./slots";

const around = layouts.filter((name) => name !== "empty");
const beside = ["classic", "classy", "compact", "dense", "futuristic", "thin"] as const;
const withoutRail = ["empty", "centered", "material"];

/** Sets the layout around the test's screen. */
let setLayout: (name: LayoutName) => void;
function Stage({ first }: { first: LayoutName }) {
  const [name, set] = useState(first);
  const [node] = useState(() => document.createElement("div"));
  setLayout = set;
  const Layout = useLayout(name);
  const slots: LayoutSlots = {
    company: "Northwind Supply",
    logo: {},
    navigation,
    tools: Object.fromEntries(
      toolOrder.map((tool) => [tool, <button key={tool} type="button" aria-label={tool} />]),
    ) as LayoutSlots["tools"],
    person: { name: "Mira Okafor", email: "mira@northwind.example", menu: <button type="button" aria-label="user menu" /> },
    support: "/apps/help-center",
    screen: node,
    rail: <aside aria-label="rail" />,
    version: "1.2.3",
  };
  return (
    <>
      {createPortal(<input aria-label="Typed" />, node)}
      <Layout {...slots} />
    </>
  );
}

async function open(name: LayoutName, width = 1440) {
  await setWidth(width);
  await loadLayout(name);
  return renderApp(<Stage first={name} />, { path: "/tasks" });
}
const header = () => within(screen.getByRole("banner"));
const menu = () => screen.getByRole("button", { name: "Menu" });

beforeEach(() => {
  localStorage.clear();
  useColumn.setState({ hidden: false });
});

describe.each(around)("%s", (name) => {
  it("shows the header tools in order, the screen, the footer, the navigation and the rail if it has one", async () => {
    await open(name);
    const left = name === "classy" ? ["notifications", "user"] : name === "futuristic" ? ["user"] : [];
    const tools = toolOrder.map((tool) => header().queryByRole("button", { name: tool })).filter((one) => one !== null);
    expect(tools.map((one) => one.getAttribute("aria-label"))).toEqual(toolOrder.filter((tool) => !left.includes(tool)));
    for (const [at, tool] of tools.slice(1).entries()) {
      expect(tools[at]?.compareDocumentPosition(tool)).toBe(Node.DOCUMENT_POSITION_FOLLOWING);
    }
    expect(within(screen.getByRole("main")).getByLabelText("Typed")).toBeVisible();
    expect(screen.getByRole("contentinfo")).toHaveTextContent(`Atrium 1.2.3 © ${new Date().getFullYear()}`);
    expect(screen.queryAllByRole("complementary", { name: "rail" })).toHaveLength(withoutRail.includes(name) ? 0 : 1);
    expect(screen.getByRole("navigation", { name: "Navigation" })).toBeVisible();
  });

  it("hides header, footer and navigation in print", async () => {
    await open(name);
    for (const part of [screen.getByRole("banner"), screen.getByRole("contentinfo"), screen.getByRole("navigation")]) {
      expect(part.closest(".no-print")).not.toBeNull();
    }
  });

  it("shows its navigation in a dialog on small screens, closed by Close, Escape, a choice or more width", async () => {
    const { router } = await open(name, 800);
    const over = () => screen.queryByRole("dialog", { name: "Navigation" });
    expect(over()).toBeNull();
    await userEvent.click(menu());
    await userEvent.click(await screen.findByRole("button", { name: "Close" }));
    await waitFor(() => expect(over()).toBeNull());
    await userEvent.click(menu());
    await screen.findByRole("dialog", { name: "Navigation" });
    await userEvent.keyboard("{Escape}");
    await waitFor(() => expect(over()).toBeNull());
    await waitFor(() => expect(menu()).toHaveFocus());

    await userEvent.click(menu());
    await userEvent.click(within(await screen.findByRole("dialog", { name: "Navigation" })).getByRole("link", { name: "Settings" }));
    expect(router.state.location.pathname).toBe("/settings");
    await waitFor(() => expect(over()).toBeNull());

    await userEvent.click(menu());
    await screen.findByRole("dialog", { name: "Navigation" });
    await setWidth(1000);
    await waitFor(() => expect(over()).toBeNull());
  });

  it("has a menu button that names only what is there", async () => {
    await open(name);
    for (const width of [1000, 700]) {
      await setWidth(width);
      const controlled = menu().getAttribute("aria-controls");
      if (controlled) expect(document.getElementById(controlled)).not.toBeNull();
      expect(menu().hasAttribute("aria-haspopup")).toBe(!controlled);
    }
  });
});

it("empty shows the screen and nothing else", async () => {
  await open("empty");
  expect(within(screen.getByRole("main")).getByLabelText("Typed")).toBeVisible();
  expect(screen.queryByRole("banner")).toBeNull();
  expect(screen.queryByRole("navigation")).toBeNull();
  expect(screen.queryByRole("contentinfo")).toBeNull();
});

it.each(beside)("%s hides and shows its navigation column, and remembers it in this browser", async (name) => {
  const { unmount } = await open(name);
  const column = () => document.getElementById("navigation");
  expect(menu()).toHaveAttribute("aria-expanded", "true");
  await userEvent.click(menu());
  expect(menu()).toHaveAttribute("aria-expanded", "false");
  expect(column()).toHaveClass("invisible");
  expect(localStorage.getItem("atrium.navigation")).toBe("hidden");
  unmount();
  await open(name);
  expect(column()).toHaveClass("invisible");
  await userEvent.click(menu());
  expect(column()).not.toHaveClass("invisible");
  expect(localStorage.getItem("atrium.navigation")).toBeNull();
});

it("dense widens on focus and hover, toggles by its button, and resets when the screen width changes", async () => {
  await open("dense");
  const widened = () => document.querySelector("[data-widened]") !== null;
  const toggle = () => screen.getByRole("button", { name: "Narrow navigation" });
  expect(widened()).toBe(false);
  act(() => screen.getByRole("link", { name: "Tasks 12" }).focus());
  expect(widened()).toBe(true);
  act(() => toggle().focus());
  expect(widened()).toBe(false);
  await userEvent.hover(screen.getByRole("link", { name: "Tasks 12" }));
  expect(widened()).toBe(true);
  await userEvent.unhover(screen.getByRole("link", { name: "Tasks 12" }));

  await userEvent.click(toggle());
  expect(toggle()).toHaveAttribute("aria-pressed", "false");
  expect(widened()).toBe(true);
  await setWidth(700);
  await setWidth(1200);
  expect(toggle()).toHaveAttribute("aria-pressed", "true");
});

it("classy and futuristic show the signed-in member beside the navigation", async () => {
  const { unmount } = await open("classy");
  const column = () => within(document.getElementById("navigation") as HTMLElement);
  expect(column().getByText("Mira Okafor")).toBeVisible();
  expect(column().getByRole("button", { name: "notifications" })).toBeVisible();
  expect(column().getByRole("button", { name: "user menu" })).toBeVisible();
  unmount();
  await open("futuristic");
  expect(column().getByText("mira@northwind.example")).toBeVisible();
  expect(column().getByRole("button", { name: "user" })).toBeVisible();
});

it("modern links to the help, on small screens in the navigation dialog", async () => {
  const { router } = await open("modern");
  await userEvent.click(header().getByRole("link", { name: "Support" }));
  expect(router.state.location.pathname).toBe("/apps/help-center");
  await setWidth(700);
  await userEvent.click(menu());
  const over = await screen.findByRole("dialog", { name: "Navigation" });
  expect(within(over).getByRole("link", { name: "Support" })).toBeVisible();
});

it("keeps the screen, typed text and focus when the layout changes", async () => {
  await open("modern");
  const field = screen.getByLabelText("Typed");
  await userEvent.type(field, "half a sen");
  for (const name of ["classic", "material", "empty", "dense"] as const) {
    await loadLayout(name);
    await act(async () => setLayout(name));
    await waitFor(() => expect(document.querySelector("header") === null).toBe(name === "empty"));
    expect(screen.getByLabelText("Typed")).toBe(field);
    expect(field).toHaveValue("half a sen");
    expect(field).toHaveFocus();
  }
});

it("moves the focus to the screen when the focused element disappears with the layout", async () => {
  await open("classic");
  act(() => menu().focus());
  await act(async () => setLayout("centered"));
  await waitFor(() => expect(screen.getByRole("main")).toHaveFocus());
});
