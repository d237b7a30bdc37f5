import type { Locator } from "playwright-core";
import { afterAll, beforeEach, describe, expect } from "vitest";
import { type Caller, caller } from "./api";
import { people } from "./server";
import { at, gone, look, place, pressBeside, settled, shown, test } from "./stage";

type Kind = "messages" | "notifications";
const me = people.vera;
let vera: Caller;
// For each test, because proof of identity lasts only five minutes.
beforeEach(async () => {
  vera = await caller(at(undefined), me.email);
});
const list = (kind: Kind) => vera.call<{ id: string; title: string }[]>("GET", `/api/common/${kind}`);

/** Replaces a member's items with the given ones, the last one on top. */
async function fill(kind: Kind, items: object[]) {
  const ids = (await list(kind)).map(({ id }) => id);
  if (ids.length > 0) await vera.call("POST", `/api/common/${kind}/batch`, { ids, action: "remove" });
  for (const item of items) await vera.call("POST", `/api/common/${kind}`, { [kind.slice(0, -1)]: item });
}
async function clearShortcuts(labels: string[] = []) {
  for (const { id } of await vera.call<{ id: string }[]>("GET", "/api/common/shortcuts"))
    await vera.call("DELETE", `/api/common/shortcuts?id=${id}`);
  for (const label of labels.toReversed())
    await vera.call("POST", "/api/common/shortcuts", { shortcut: { label, icon: "star", link: "/tasks", useRouter: true } });
}
afterAll(async () => {
  await fill("messages", []);
  await fill("notifications", []);
  await clearShortcuts();
});

const holdsFocus = (box: Locator) => box.evaluate((node) => node.contains(document.activeElement) || node === document.activeElement);
const focused = (locator: Locator) => locator.evaluate((node) => node === document.activeElement);

describe.each(["messages", "notifications"] as const)("%s", (kind) => {
  const name = kind === "messages" ? "Messages" : "Notifications";
  beforeEach(() => fill(kind, [{ title: "Third" }, { title: "Second" }, { title: "First" }]));

  test("work by keyboard alone without losing the focus", async ({ visit }) => {
    const { page, open } = await visit({ as: me });
    await open("/test");
    const button = page.getByRole("button", { name: new RegExp(`^${name}`) });
    await button.focus();
    await page.keyboard.press("Enter");
    const panel = page.getByRole("dialog", { name });
    await shown(panel.getByText("First"));
    await expect.poll(() => holdsFocus(panel)).toBe(true);
    for (let step = 0; step < 12; step++) {
      await page.keyboard.press("Tab");
      expect(await holdsFocus(panel)).toBe(true);
    }
    const remove = (text: string) => panel.getByRole("listitem").filter({ hasText: text }).getByRole("button", { name: "Remove" });
    await remove("First").focus();
    await page.keyboard.press("Enter");
    await gone(panel.getByText("First"));
    await expect.poll(() => focused(remove("Second"))).toBe(true);
    await page.keyboard.press("Enter");
    await expect.poll(() => focused(remove("Third"))).toBe(true);
    await page.keyboard.press("Enter");
    await shown(panel.getByText(`No ${kind}`));
    expect(await holdsFocus(panel)).toBe(true);
    await shown(page.getByText(`3 ${kind} removed`));
    await page.keyboard.press("Control+z");
    await shown(panel.getByText("First"));
    await shown(panel.getByText("Third"));
    const all = panel.getByRole("button", { name: "Mark all as read" });
    await all.focus();
    await page.keyboard.press("Enter");
    await expect.poll(() => all.isDisabled()).toBe(true);
    expect(await holdsFocus(panel)).toBe(true);
    await page.keyboard.press("Escape");
    await gone(panel);
    await expect.poll(() => focused(button)).toBe(true);
  });

  test("are restored by the toast while their panel stays open, and a click outside closes it", async ({ visit }) => {
    const { page, open } = await visit({ as: me });
    await open("/test");
    await page.getByRole("button", { name: new RegExp(`^${name}`) }).click();
    const panel = page.getByRole("dialog", { name });
    const item = panel.getByRole("listitem").filter({ hasText: "Second" });
    await item.hover();
    await item.getByRole("button", { name: "Remove" }).click();
    await gone(item);
    await page.getByRole("button", { name: "Undo" }).click();
    await shown(item);
    // The panel does not wait for the server.
    await expect.poll(async () => (await list(kind)).map((one) => one.title)).toEqual(["First", "Second", "Third"]);
    const box = await panel.boundingBox();
    // The list is about 120 units high on wide screens, and the page behind does not scroll.
    expect(box?.height).toBeLessThanOrEqual(480 + 60 + 48);
    const scrolled = await page.evaluate(() => {
      scrollTo(0, 200);
      return getComputedStyle(document.documentElement).overflow === "hidden";
    });
    expect(scrolled).toBe(true);
    await page.mouse.click(20, 400);
    await gone(panel);
  });

  test("fill the screen of a phone, with Close at the left", async ({ visit }) => {
    const { page, open } = await visit({ as: me, width: 320, height: 640 });
    await open("/test");
    await page.getByRole("button", { name: new RegExp(`^${name}`) }).click();
    const panel = page.getByRole("dialog", { name });
    await shown(panel.getByText("First"));
    expect(await panel.boundingBox()).toEqual({ x: 0, y: 0, width: 320, height: 640 });
    const close = await panel.getByRole("button", { name: "Close" }).boundingBox();
    expect(close?.x).toBeLessThan(40);
    await look(page, `panel-${kind}`, "en");
    await page.setViewportSize({ width: 320, height: 640 });
    await panel.getByRole("button", { name: "Close" }).click();
    await gone(panel);
  });

  test("have a page with keys to select, remove and undo", async ({ visit }) => {
    const { page, open } = await visit({ as: me });
    await open(`/${kind}`);
    const row = (text: string) => page.getByRole("listitem").filter({ hasText: text });
    await page.keyboard.press("j");
    expect(await focused(row("First").getByRole("checkbox"))).toBe(true);
    await page.keyboard.press("Space");
    await page.keyboard.press("j");
    await page.keyboard.press("Space");
    await shown(page.getByRole("toolbar").getByText("2 selected"));
    await page.keyboard.press("Delete");
    await gone(row("First"));
    await gone(row("Second"));
    await shown(page.getByText(`2 ${kind} removed`));
    expect(await page.evaluate(() => document.activeElement !== document.body)).toBe(true);
    await page.keyboard.press("Control+z");
    await shown(row("First"));
    await page.getByRole("radio", { name: /^Unread/ }).click();
    await row("First").getByRole("button", { name: "Mark as read" }).click();
    await gone(row("First"));
    await expect.poll(() => focused(row("Second").getByRole("button", { name: "Mark as read" }))).toBe(true);
    expect(place(page)).toBe(`/${kind}?show=unread`);
    await page.reload();
    await settled(page);
    await shown(row("Third"));
    await gone(row("First"));
    await page.getByRole("button", { name: "Mark all as read" }).click();
    await shown(page.getByText(`You have no unread ${kind}.`));
  });
});

test("message links are safe, and links in the text open their own address", async ({ visit }) => {
  await fill("messages", [
    {
      title: "Two <b>ways</b>",
      description: 'See <a href="/customers">them</a>, <a href="https://example.com/">that</a> or <a href="javascript:alert(1)">this</a>.',
      link: "/tasks",
      useRouter: true,
    },
    { title: "Out", link: "https://example.com/", useRouter: false },
  ]);
  const { page, open } = await visit({ as: me });
  await open("/test");
  const panel = page.getByRole("dialog", { name: "Messages" });
  const start = () => page.getByRole("button", { name: /^Messages/ }).click();
  await start();
  const out = panel.getByRole("link", { name: "Out Unread" });
  expect([await out.getAttribute("href"), await out.getAttribute("target"), await out.getAttribute("rel")]).toEqual([
    "https://example.com/",
    "_blank",
    "noopener noreferrer",
  ]);
  expect(await panel.getByRole("link", { name: "that" }).getAttribute("target")).toBe("_blank");
  expect(await panel.getByRole("link", { name: "this" }).count()).toBe(0);
  await page.evaluate(() => Object.assign(window, { stayed: true }));
  await panel.getByRole("link", { name: "them" }).click();
  await page.waitForURL("**/customers");
  await gone(panel);
  await start();
  // The item is read now; a click anywhere on it follows its link.
  await panel.getByRole("listitem").filter({ hasText: "Two ways" }).locator("time").click({ force: true });
  await page.waitForURL("**/tasks");
  expect(await page.evaluate(() => "stayed" in window)).toBe(true);
});

describe("shortcuts", () => {
  const labels = async (panel: Locator) =>
    (await panel.getByRole("button", { name: /^Edit [A-D]$/ }).all()).length === 0
      ? ""
      : panel.evaluate((node) =>
          [...node.querySelectorAll<HTMLElement>("[data-ordered]")]
            .sort((a, b) => Number(a.style.order) - Number(b.style.order))
            .map((cell) => cell.querySelector("[data-edit]")?.getAttribute("aria-label")?.at(-1))
            .join(""),
        );

  test("are reordered and given an icon by keyboard alone", async ({ visit }) => {
    await clearShortcuts(["A", "B", "C", "D"]);
    const { page, open } = await visit({ as: me });
    await open("/test");
    const button = page.getByRole("button", { name: "Shortcuts" });
    await button.focus();
    await page.keyboard.press("Enter");
    const panel = page.getByRole("dialog", { name: /Shortcuts/ });
    await panel.getByRole("button", { name: "Edit shortcuts" }).focus();
    await page.keyboard.press("Enter");
    await expect.poll(() => focused(panel.getByRole("button", { name: "Stop editing" }))).toBe(true);
    await panel.getByRole("button", { name: "Move A" }).focus();
    await page.keyboard.press("ArrowDown");
    await expect.poll(() => labels(panel)).toBe("BCAD");
    expect(await focused(panel.getByRole("button", { name: "Move A" }))).toBe(true);
    await page.keyboard.press("Enter");
    await shown(page.getByRole("menuitem", { name: "To the start" }));
    await page.keyboard.press("Home");
    await page.keyboard.press("Enter");
    await expect.poll(() => labels(panel)).toBe("ABCD");
    await expect.poll(() => focused(panel.getByRole("button", { name: "Move A" }))).toBe(true);

    await panel.getByRole("button", { name: "Edit B" }).focus();
    await page.keyboard.press("Enter");
    await expect.poll(() => focused(panel.getByLabel("Label"))).toBe(true);
    await panel.getByRole("listbox").getByRole("option", { name: "Star" }).focus();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("Enter");
    expect(await panel.getByRole("option", { selected: true }).getAttribute("aria-label")).toBe("Rocket");
    await panel.getByRole("button", { name: "Update" }).focus();
    await page.keyboard.press("Enter");
    await expect.poll(() => focused(panel.getByRole("button", { name: "Edit B" }))).toBe(true);
    await page.keyboard.press("Escape");
    await gone(panel);
    await expect.poll(() => focused(button)).toBe(true);
    const kept = () => vera.call<{ label: string; icon: string }[]>("GET", "/api/common/shortcuts");
    await expect.poll(async () => (await kept()).map(({ label, icon }) => label + icon)).toEqual(["Astar", "Brocket", "Cstar", "Dstar"]);
  });

  test("are reordered by dragging, and the order is saved", async ({ visit }) => {
    await clearShortcuts(["A", "B", "C", "D"]);
    const { page, open } = await visit({ as: me });
    await open("/test");
    await page.getByRole("button", { name: "Shortcuts" }).click();
    const panel = page.getByRole("dialog", { name: /Shortcuts/ });
    await panel.getByRole("button", { name: "Edit shortcuts" }).click();
    const from = await panel.getByRole("button", { name: "Move A" }).boundingBox();
    const to = await panel.getByRole("button", { name: "Edit D" }).boundingBox();
    if (!from || !to) throw new Error("nothing to drag");
    await page.mouse.move(from.x + 10, from.y + 10);
    await page.mouse.down();
    await page.mouse.move(from.x + 30, from.y + 30, { steps: 3 });
    await page.mouse.move(to.x + to.width / 2, to.y + to.height / 2, { steps: 8 });
    expect(await labels(panel)).toBe("BCDA");
    await page.mouse.up();
    await gone(page.getByRole("menu"));
    await expect.poll(() => labels(panel)).toBe("BCDA");
    await expect
      .poll(async () => (await vera.call<{ label: string }[]>("GET", "/api/common/shortcuts")).map(({ label }) => label).join(""))
      .toBe("BCDA");
    await look(page, "panel-shortcuts", "en");
  });

  test("are restored by undoing a deletion", async ({ visit }) => {
    await clearShortcuts(["A", "B", "C"]);
    const { page, open } = await visit({ as: me });
    await open("/test");
    await page.getByRole("button", { name: "Shortcuts" }).click();
    const panel = page.getByRole("dialog", { name: /Shortcuts/ });
    await panel.getByRole("button", { name: "Edit shortcuts" }).click();
    await panel.getByRole("button", { name: "Edit B" }).click();
    await panel.getByRole("button", { name: "Delete" }).click();
    await gone(panel.getByRole("button", { name: "Edit B" }));
    expect(await holdsFocus(panel)).toBe(true);
    await page.getByRole("button", { name: "Undo" }).click();
    await expect.poll(() => labels(panel)).toBe("ABC");
  });
});

test("the chat opens and closes by keys, closes by a click outside, and fills the screen of a phone", async ({ visit }) => {
  const { page, open } = await visit({ as: me });
  await open("/test");
  const button = page.getByRole("button", { name: "Chat", exact: true });
  const drawer = page.getByRole("dialog", { name: "Team Chat" });
  await button.focus();
  await page.keyboard.press("Enter");
  await shown(drawer.getByRole("heading", { name: "Team Chat" }));
  await shown(drawer.getByText("Select a conversation"));
  await expect.poll(() => holdsFocus(drawer)).toBe(true);
  for (let step = 0; step < 8; step++) {
    await page.keyboard.press("Tab");
    expect(await holdsFocus(drawer)).toBe(true);
  }
  expect(await page.evaluate(() => getComputedStyle(document.documentElement).overflow)).toBe("hidden");
  await page.keyboard.press("Escape");
  await gone(drawer);
  await expect.poll(() => focused(button)).toBe(true);
  await button.click();
  await shown(drawer);
  await pressBeside(page, 200, 500);
  await gone(drawer);
  await page.setViewportSize({ width: 320, height: 640 });
  await button.click();
  await shown(drawer);
  expect((await drawer.boundingBox())?.width).toBe(320);
  await look(page, "panel-chat", "en");
});
