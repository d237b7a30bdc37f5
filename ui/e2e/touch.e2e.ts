import type { Page } from "playwright-core";
import { expect } from "vitest";
import { caller } from "./api";
import { addressOf } from "./paths";
import { people } from "./server";
import { at, settled, test } from "./stage";
import { smallTouchAreas } from "./touch-areas";

const phone = { as: people.ada, width: 390, height: 844, touch: true };
const tap = (page: Page, role: "button" | "tab" | "menuitem", name: string | RegExp) => page.getByRole(role, { name }).last().tap();

test("what a finger presses is at least 44 pixels large on the main screens of a phone", { timeout: 300_000 }, async ({ visit }) => {
  const { page, open } = await visit(phone);
  const small: string[] = [];
  const check = async (name: string) => {
    await settled(page);
    for (const one of await smallTouchAreas(page)) small.push(`${name}: ${one}`);
  };
  const lists = ["/customers", "/customers/organizations", "/customers/deals", "/tasks", "/events"];
  const forms = ["/customers/new", "/customers/organizations/new", "/customers/deals/new", "/tasks/new", "/events/new"];
  const settings = ["company", "company/tags", "data/fields", "data/imports", "data/bin"].map((path) => `/settings/${path}`);
  for (const path of [...lists, ...forms, ...settings, "/imports/new?kind=customers", addressOf("imports/:id")]) {
    await open(path);
    await check(path);
  }
  const surfaces: [string, string, () => Promise<unknown>][] = [
    ["views", "/customers", () => tap(page, "button", "All customers")],
    ["list menu", "/customers", () => tap(page, "button", "More actions")],
    [
      "columns",
      "/customers",
      async () => {
        await tap(page, "button", "More actions");
        await tap(page, "menuitem", /^(Columns|Sort by)$/);
      },
    ],
    ["user menu", "/customers", () => tap(page, "button", "User menu")],
    ["navigation", "/customers", () => tap(page, "button", "Menu")],
    ["commands", "/customers", () => page.keyboard.press("Control+k")],
    ["calendar", "/customers/new", () => tap(page, "button", "Open calendar: Birthday")],
    [
      "selection",
      "/customers",
      () =>
        page
          .getByRole("checkbox", { name: /^Select / })
          .first()
          .tap({ force: true }),
    ],
    ["tags of a selection", "/customers", () => tap(page, "button", "Tags…")],
  ];
  for (const [name, path, show] of surfaces) {
    if (name !== "tags of a selection") await open(path);
    await show();
    await check(name);
  }
  await open("/customers");
  await tap(page, "button", "Filter");
  await tap(page, "menuitem", "Status");
  await check("filter");
  for (const path of ["customers/:id", "customers/organizations/:id", "customers/deals/:id"]) {
    await open(addressOf(path));
    await check(path);
    for (const tab of ["Activity", "Related", "Files"]) {
      await tap(page, "tab", tab);
      await check(`${path}, ${tab}`);
    }
    if (path.includes("deals")) continue;
    await tap(page, "button", "More actions");
    await check(`${path}, menu`);
  }
  expect(small, small.join("\n")).toEqual([]);
});

test("a tap on a tab chooses it while a fact is edited, and what was typed is saved", async ({ visit }) => {
  const ada = await caller(at(undefined), people.ada.email);
  const { id } = await ada.call<{ id: string }>("POST", "/api/customers", { name: "Tara Byrne", status: "lead", tags: ["retail"] });
  const stored = () => ada.call<{ tags: string[]; details: { address?: string } }>("GET", `/api/customers/${id}`);
  const { page, open } = await visit(phone);
  await open(`/customers/${id}`);
  await tap(page, "button", /Change tags$/);
  await page.getByRole("textbox", { name: "Tags" }).fill("harbour trade");
  await tap(page, "tab", "Files");
  await expect.poll(() => page.getByRole("tab", { name: "Files" }).getAttribute("aria-selected")).toBe("true");
  await expect.poll(async () => (await stored()).tags).toEqual(["retail", "harbour trade"]);
  await tap(page, "tab", "Details");
  await tap(page, "button", "Add address");
  await page.getByRole("textbox", { name: "Address" }).fill("Quay 4");
  await tap(page, "tab", "Activity");
  await expect.poll(() => page.getByRole("tab", { name: "Activity" }).getAttribute("aria-selected")).toBe("true");
  await expect.poll(async () => (await stored()).details.address).toBe("Quay 4");
});
