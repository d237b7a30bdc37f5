import type { Page } from "playwright-core";
import { expect } from "vitest";
import { type Caller, caller } from "./api";
import { people } from "./server";
import { at, gone, shown, test } from "./stage";

/** Creates deals that share a tag, so that the board shows only them; returns their ids. */
async function addDeals(by: Caller, tag: string, titles: string[]): Promise<string[]> {
  const ids: string[] = [];
  for (const title of titles) {
    const value = { amount: 120_000, currency: "EUR" };
    const deal = await by.call<{ id: string }>("POST", "/api/deals", { title, tags: [tag], value, expectedDay: "2199-05-01" });
    ids.push(deal.id);
  }
  return ids;
}

const boardOf = (tag: string) => `/customers/deals?as=board&filter=outcome:is:open&filter=tags:is:${tag}`;
const columnOf = (page: Page, name: string) => page.getByRole("region", { name: new RegExp(`^${name} \\d`) });
const cardIn = (page: Page, column: string, title: string) => columnOf(page, column).getByRole("link", { name: title, exact: true });

test("a deal is dragged by mouse to another stage and to Won, which a colleague sees, and both are undone", async ({ visit }) => {
  const ada = await caller(at(undefined), people.ada.email);
  const [fence] = await addDeals(ada, "drag", ["Fence for the park", "Gate for the park"]);
  const stored = () => ada.call<{ stageId: string; outcome: string }>("GET", `/api/deals/${fence}`);
  const { page, open } = await visit({ as: people.ada });
  const ben = await visit({ as: people.ben });
  await open(boardOf("drag"));
  await ben.open(boardOf("drag"));
  await shown(columnOf(page, "New").getByText("€2,400"));

  const grab = async () => {
    const box = await page.locator("[data-card]", { hasText: "Fence for the park" }).boundingBox();
    if (!box) throw new Error("The card is not shown.");
    await page.mouse.move(box.x + 80, box.y + 40);
    await page.mouse.down();
    await page.mouse.move(box.x + 120, box.y + 60, { steps: 3 });
  };
  const dropOn = async (place: string) => {
    const box = await page.locator(`[data-place="${place}"]`).boundingBox();
    if (!box) throw new Error("The place is not shown.");
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2, { steps: 5 });
    await page.mouse.up();
  };
  await grab();
  await dropOn("proposal");
  await shown(cardIn(page, "Proposal", "Fence for the park"));
  await shown(columnOf(page, "Proposal").getByText("€1,200", { exact: true }).first());
  await shown(cardIn(ben.page, "Proposal", "Fence for the park"));
  expect(new URL(page.url()).pathname).toBe("/customers/deals");
  await expect.poll(async () => (await stored()).stageId).toBe("proposal");
  await page.getByRole("button", { name: "Undo" }).click();
  await shown(cardIn(page, "New", "Fence for the park"));
  await expect.poll(async () => (await stored()).stageId).toBe("new");

  await grab();
  await dropOn("outcome.won");
  await gone(page.getByRole("link", { name: "Fence for the park", exact: true }));
  await gone(ben.page.getByRole("link", { name: "Fence for the park", exact: true }));
  await expect.poll(async () => (await stored()).outcome).toBe("won");
  await shown(page.getByText("“Fence for the park” is won."));
  await page.keyboard.press("ControlOrMeta+z");
  await shown(cardIn(page, "New", "Fence for the park"));
  await expect.poll(stored).toMatchObject({ stageId: "new", outcome: "open" });

  // A move that Escape ends changes nothing.
  await grab();
  await page.keyboard.press("Escape");
  await page.mouse.up();
  await gone(page.locator('[data-place="outcome.won"]'));
  await shown(cardIn(page, "New", "Fence for the park"));
});

test("a deal is carried by keys, announced in both languages, and opened beside the board", async ({ visit }) => {
  const ada = await caller(at(undefined), people.ada.email);
  const [roof] = await addDeals(ada, "keys", ["Roof of the barn"]);
  const { page, open } = await visit({ as: people.ada, width: 390, height: 844 });
  await open(boardOf("keys"));
  await cardIn(page, "New", "Roof of the barn").focus();
  await page.keyboard.press("Space");
  await shown(page.getByRole("status").getByText("“Roof of the barn” is lifted from New."));
  await page.keyboard.press("ArrowRight");
  await shown(page.getByRole("status").getByText("Qualified, column 2 of 4", { exact: true }));
  await page.keyboard.press("Escape");
  await shown(page.getByRole("status").getByText("“Roof of the barn” stays in New.", { exact: true }));
  await page.keyboard.press("Space");
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("Space");
  const moved = cardIn(page, "Qualified", "Roof of the barn");
  await shown(moved);
  await expect.poll(() => moved.evaluate((link) => link === document.activeElement)).toBe(true);
  await page.keyboard.press("Enter");
  await shown(page.getByRole("dialog", { name: "Roof of the barn" }));
  expect(new URL(page.url()).pathname).toBe(`/customers/deals/${roof}`);
  await page.keyboard.press("Escape");
  await gone(page.getByRole("dialog"));
  expect(page.url()).toContain("as=board");
  await expect.poll(() => moved.evaluate((link) => link === document.activeElement)).toBe(true);

  const reader = await caller(at(undefined), people.ben.email);
  await reader.call("PATCH", "/api/common/user", { locale: "es" });
  const ben = await visit({ as: people.ben });
  await ben.open(boardOf("keys"));
  await cardIn(ben.page, "Cualificada", "Roof of the barn").focus();
  await ben.page.keyboard.press("Space");
  await shown(ben.page.getByRole("status").getByText("Has levantado «Roof of the barn» de Cualificada."));
  await ben.page.keyboard.press("ArrowLeft");
  await shown(ben.page.getByRole("status").getByText("Nueva, columna 1 de 4", { exact: true }));
  await ben.page.keyboard.press("Escape");
  await shown(ben.page.getByRole("status").getByText("«Roof of the barn» sigue en Cualificada.", { exact: true }));
  await reader.call("PATCH", "/api/common/user", { locale: "en" });
});

test("a long press of a finger lifts a deal, and the board scrolls at its edge", async ({ visit }) => {
  const ada = await caller(at(undefined), people.ada.email);
  const [sign] = await addDeals(ada, "touch", ["Sign for the shop"]);
  const { page, context, open } = await visit({ as: people.ada, width: 390, height: 844 });
  await open(boardOf("touch"));
  const box = await page.locator("[data-card]").first().boundingBox();
  if (!box) throw new Error("The card is not shown.");
  const finger = await context.newCDPSession(page);
  const touch = (type: "touchStart" | "touchMove" | "touchEnd", x = 0, y = 0) =>
    finger.send("Input.dispatchTouchEvent", { type, touchPoints: type === "touchEnd" ? [] : [{ x, y }] });
  const board = page.getByRole("region", { name: "Deals by stage" });
  const [x, y] = [box.x + 90, box.y + 40];
  await touch("touchStart", x, y);
  await shown(page.locator('[data-place="outcome.won"]'));
  await touch("touchMove", x + 100, y + 10);
  await touch("touchMove", 370, y + 20);
  await expect.poll(() => board.evaluate((element) => element.scrollLeft)).toBeGreaterThan(250);
  await touch("touchMove", 200, y + 20);
  await touch("touchEnd");
  await expect.poll(async () => (await ada.call<{ stageId: string }>("GET", `/api/deals/${sign}`)).stageId).not.toBe("new");
  await gone(columnOf(page, "New").getByRole("link", { name: "Sign for the shop" }));
});
