import type { Locator, Page } from "playwright-core";
import { afterEach, describe, expect } from "vitest";
import { layouts } from "@/lib/layout";
import { caller } from "./api";
import { people } from "./server";
import { at, gone, look, place, pressBeside, settled, shown, sizes, test } from "./stage";

const around = layouts.filter((name) => name !== "empty");
const phone = { width: 320, height: 640 };
const tablet = { width: 768, height: 1024 };
const narrow = { width: 960, height: 800 };

/** Returns the name of the focused element; it must never be the page itself. */
async function focused(page: Page): Promise<string> {
  const name = await page.evaluate(() => {
    const element = document.activeElement;
    if (!element || element === document.body) return undefined;
    return (element.getAttribute("aria-label") ?? element.textContent ?? element.tagName).trim();
  });
  expect(name, "the focus is lost").toBeDefined();
  return name ?? "";
}

/** Presses Tab until an element with that name has the focus. */
async function tabTo(page: Page, name: RegExp) {
  const passed: string[] = [];
  for (let step = 0; step < 60; step++) {
    await page.keyboard.press("Tab");
    const here = await focused(page);
    if (name.test(here)) return;
    passed.push(here);
  }
  throw new Error(`No ${name} on the way: ${passed.join(" · ")}`);
}

const width = async (locator: Locator) => Math.round((await locator.boundingBox())?.width ?? 0);
const over = (page: Page) => page.getByRole("dialog", { name: "Navigation" });

const speak = async (locale: string) => {
  const ada = await caller(at(undefined), people.ada.email);
  await ada.call("PATCH", "/api/common/user", { locale });
};
afterEach(() => speak("en"));

describe.each(["en", "es"])("in %s", (language) => {
  test("every layout passes the screen checks at every width", { timeout: 300_000 }, async ({ visit }) => {
    await speak(language);
    const { page, open, go } = await visit({ as: people.ada, locale: language });
    await open("/customers");
    for (const layout of layouts) {
      await go(`/customers?layout=${layout}`);
      await look(page, `layouts/${layout}`, language, [...sizes, narrow]);
      if (layout === "empty") continue;
      await page.setViewportSize(phone);
      await page.getByRole("button", { name: language === "en" ? "Menu" : "Menú", exact: true }).click();
      await shown(page.getByRole("dialog"));
      await look(page, `layouts/${layout}-menu`, language, [phone, tablet]);
      await page.keyboard.press("Escape");
      await gone(page.getByRole("dialog"));
    }
  });
});

test.for(around)("%s on a small screen opens, traverses and closes its menu by keyboard", async (layout, { visit }) => {
  const { page, open } = await visit({ as: people.ada, ...tablet });
  await open(`/customers?layout=${layout}`);
  await page.keyboard.press("Tab");
  expect(await focused(page)).toBe("Skip to content");
  await tabTo(page, /^Menu$/);
  await page.keyboard.press("Enter");
  await shown(over(page));
  for (let step = 0; step < 25; step++) {
    await page.keyboard.press("Tab");
    expect(await over(page).evaluate((dialog) => dialog.contains(document.activeElement))).toBe(true);
  }
  await page.keyboard.press("Escape");
  await gone(over(page));
  await expect.poll(() => focused(page)).toBe("Menu");

  await page.keyboard.press("Enter");
  await shown(over(page));
  await tabTo(page, /^Pages/);
  await page.keyboard.press("Enter");
  await page.waitForURL("**/pages");
  await gone(over(page));
  await focused(page);
});

test("the menu button hides and shows the column, and this browser remembers it", async ({ visit }) => {
  const { page, open } = await visit({ as: people.ada });
  await open("/customers?layout=classic");
  const link = page.getByRole("link", { name: /^Tasks/ });
  await shown(link);
  await page.getByRole("button", { name: "Menu", exact: true }).click();
  await gone(link);
  await expect.poll(() => width(page.getByRole("banner"))).toBeGreaterThan(1300);
  await page.reload();
  await settled(page);
  await gone(link);
  await tabTo(page, /^Menu$/);
  await page.keyboard.press("Enter");
  await shown(link);
  expect(await focused(page)).toBe("Menu");
});

test("a column beside the navigation opens, and closes by Escape, a click outside and a choice", async ({ visit }) => {
  const { page, open } = await visit({ as: people.ada });
  for (const layout of ["compact", "thin", "futuristic"]) {
    await open(`/customers?layout=${layout}`);
    const column = page.getByRole("link", { name: "Analytics" });
    await tabTo(page, /^Dashboards/);
    await page.keyboard.press("Enter");
    await shown(column);
    await page.keyboard.press("Escape");
    await gone(column);
    expect(await focused(page)).toMatch(/^Dashboards/);
    await page.keyboard.press("Enter");
    await shown(column);
    await pressBeside(page, 1000, 500);
    await gone(column);
    expect(place(page)).toContain("/customers");

    await page.getByRole("button", { name: /^Dashboards/ }).click();
    await tabTo(page, /^Analytics$/);
    await page.keyboard.press("Enter");
    await page.waitForURL("**/dashboards/analytics");
    await gone(column.and(page.locator("#navigation a")));
    await focused(page);
  }
});

test("dense widens over the page for pointer and keyboard, and stays wide by its button", async ({ visit }) => {
  const { page, open } = await visit({ as: people.ada });
  await open("/customers?layout=dense");
  await page.mouse.move(700, 500);
  await page.keyboard.press("Tab");
  expect(await focused(page)).toBe("Skip to content");
  const column = page.locator("#navigation");
  const panel = column.locator("> div");
  await expect.poll(async () => [await width(column), await width(panel)]).toEqual([80, 80]);
  await page.mouse.move(40, 300);
  await expect.poll(() => width(panel)).toBe(280);
  expect(await width(column)).toBe(80);
  await page.mouse.move(800, 500);
  await expect.poll(() => width(panel)).toBe(80);

  await tabTo(page, /^Project$/);
  await expect.poll(() => width(panel)).toBe(280);
  await tabTo(page, /^Narrow navigation$/);
  await expect.poll(() => width(panel)).toBe(80);
  await page.keyboard.press("Enter");
  await expect.poll(() => width(column)).toBe(280);
  expect(await focused(page)).toBe("Narrow navigation");
  await page.setViewportSize(tablet);
  await page.setViewportSize({ width: 1440, height: 900 });
  await expect.poll(() => width(column)).toBe(80);
});

test("the bar shows the entries that fit, and the rest in a menu", async ({ visit }) => {
  const { page, open } = await visit({ as: people.ada, ...narrow });
  await open("/customers?layout=centered");
  const bar = page.getByRole("navigation", { name: "Navigation" });
  await shown(bar.getByRole("link", { name: "Customers" }));
  await gone(bar.getByRole("link", { name: "Pages" }));
  await tabTo(page, /^More$/);
  await page.keyboard.press("Enter");
  await shown(page.getByRole("menuitem", { name: "Pages" }));
  await page.keyboard.press("End");
  await page.keyboard.press("Enter");
  await page.waitForURL("**/pages");
  await focused(page);
  await page.setViewportSize({ width: 1440, height: 900 });
  await shown(bar.getByRole("link", { name: "Pages" }));
  await gone(bar.getByRole("button", { name: "More" }));
});

test("opening the search in the header does not scroll the page", async ({ visit }) => {
  const { page, open } = await visit({ as: people.ada, width: 1440, height: 400 });
  const scrolled = () => page.evaluate(() => scrollY);
  for (const layout of ["modern", "classic", "enterprise", "material"]) {
    await open(`/customers?layout=${layout}`);
    await page.evaluate(() => scrollTo(0, 120));
    await page.keyboard.press("/");
    const field = page.getByRole("searchbox", { name: "Search", exact: true });
    await shown(field);
    expect(await scrolled(), layout).toBe(120);
    expect((await field.boundingBox())?.y, layout).toBeGreaterThanOrEqual(0);
    await page.keyboard.press("Escape");
    await gone(field);
    expect(await scrolled(), layout).toBe(120);
  }
});

test("the address overrides the saved layout without changing it", async ({ visit }) => {
  const ada = await caller(at(undefined), people.ada.email);
  const kept = async () => (await ada.call<{ layout: string | null }>("GET", "/api/common/user")).layout;
  const { page, open } = await visit({ as: people.ada });
  const column = page.locator("#navigation");
  await open("/customers");
  expect(await column.count()).toBe(0);
  await ada.call("PATCH", "/api/common/user", { layout: "compact" });
  await expect.poll(() => width(column)).toBe(112);
  await open("/customers?layout=thin");
  expect(await width(column)).toBe(80);
  await open("/customers?layout=nothing");
  expect(await width(column)).toBe(112);
  expect(await kept()).toBe("compact");
  // Routes with a fixed layout keep it.
  await open("/home?layout=classic");
  expect(await column.count()).toBe(0);
  await ada.call("PATCH", "/api/common/user", { layout: null });
});

test("keeps typed text and focus when the layout changes", async ({ visit }) => {
  const ada = await caller(at(undefined), people.ada.email);
  const { page, open } = await visit({ as: people.ada });
  await open("/customers");
  const field = page.getByRole("searchbox", { name: "Search customers" });
  await field.fill("Ho");
  await ada.call("PATCH", "/api/common/user", { layout: "classy" });
  await shown(page.locator("#navigation").getByText(people.ada.email));
  await expect.poll(() => field.inputValue()).toBe("Ho");
  expect(await field.evaluate((element) => element === document.activeElement)).toBe(true);
  await ada.call("PATCH", "/api/common/user", { layout: null });
});

test("the chat rail opens a conversation and gets the focus back, and gives way to a header button", async ({ visit }) => {
  const ada = await caller(at(undefined), people.ada.email);
  const ben = await caller(at(undefined), people.ben.email);
  await ada.call("POST", "/api/apps/chat/chat", { contactId: ben.id });
  const { page, open } = await visit({ as: people.ada });
  await open("/test?layout=classic");
  const rail = page.getByRole("complementary", { name: "Team Chat" });
  await rail.getByRole("button", { name: new RegExp(`^${people.ben.name}`) }).focus();
  await page.keyboard.press("Enter");
  const drawer = page.getByRole("dialog", { name: "Team Chat" });
  await shown(drawer.getByRole("log", { name: `Messages with ${people.ben.name}` }));
  await page.keyboard.press("Escape");
  await gone(drawer);
  await expect.poll(() => focused(page)).toContain(people.ben.name);

  // On narrow screens and in layouts without a rail, the button is in the header.
  await page.setViewportSize(narrow);
  await gone(rail);
  await shown(page.getByRole("banner").getByRole("button", { name: "Chat", exact: true }));
  await page.setViewportSize({ width: 1440, height: 900 });
  await open("/test?layout=material");
  await gone(rail);
  await page.getByRole("banner").getByRole("button", { name: "Chat", exact: true }).click();
  await shown(drawer);
});

test("modern links to the built-in help", async ({ visit }) => {
  const { page, open } = await visit({ as: people.vera });
  await open("/test");
  const support = page.getByRole("banner").getByRole("link", { name: "Support" });
  expect(await support.getAttribute("href")).toBe("/apps/help-center");
});

/** The areas, and what begins at their left edge: the title. */
const areas = ["dashboards/project", "customers", "tasks", "events", "pages", "team", "messages", "notifications", "settings/account"];

test("every layout begins every area at the same left edge and height", { timeout: 300_000 }, async ({ visit }) => {
  const { page, open, go } = await visit({ as: people.ada });
  await open("/customers");
  for (const [width, margin, top] of [
    [1440, 24, 32],
    [390, 16, 24],
  ] as const) {
    await page.setViewportSize({ width, height: 900 });
    for (const layout of around) {
      for (const area of areas) {
        await go(`/${area}?layout=${layout}`);
        const title = page.getByRole("heading", { level: 1 });
        await shown(title);
        const begin = () =>
          title.evaluate((heading) => {
            const { left, top } = heading.getBoundingClientRect();
            const main = heading.closest("main")?.getBoundingClientRect();
            return [Math.round(left - (main?.left ?? 0)), Math.round(top - (main?.top ?? 0))];
          });
        await expect.poll(begin, { message: `${area} in ${layout} at ${width}` }).toEqual([margin, top]);
      }
    }
  }
});

test("print shows only the screen", async ({ visit }) => {
  const { page, open, go } = await visit({ as: people.vera });
  await open("/customers");
  for (const layout of around) {
    await go(`/customers?layout=${layout}`);
    await page.emulateMedia({ media: "print", reducedMotion: "reduce" });
    await shown(page.getByRole("heading", { name: "Customers" }));
    for (const role of ["banner", "navigation", "contentinfo", "complementary"] as const) {
      for (const part of await page.getByRole(role).all()) expect(await part.isVisible(), `${layout}: ${role}`).toBe(false);
    }
    await page.emulateMedia({ media: "screen", reducedMotion: "reduce" });
  }
});
