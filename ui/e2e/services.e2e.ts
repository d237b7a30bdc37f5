import { expect } from "vitest";
import { caller } from "./api";
import { password, people } from "./server";
import { at, gone, place, settled, shown, test } from "./stage";

test("the loading bar shows while a request is under way, and hides when none is", async ({ visit }) => {
  const { page, open } = await visit({ as: people.ada });
  await open("/test");
  let answer: () => void = () => undefined;
  const answered = new Promise<void>((resolve) => {
    answer = resolve;
  });
  await page.route("**/api/common/search", async (route) => {
    await answered;
    await route.continue();
  });
  await page.keyboard.press("/");
  await page.getByPlaceholder("Search...").fill("nunez");
  await shown(page.locator("#loading-bar"));
  answer();
  await gone(page.locator("#loading-bar"));
});

test("the splash disappears, and going back restores the scroll position", async ({ visit }) => {
  const { page, open } = await visit({ as: people.ada, height: 300 });
  await page.goto("/customers");
  expect(await page.evaluate(() => document.getElementById("splash") !== null || document.querySelector("h1") !== null)).toBe(true);
  await gone(page.locator("#splash"));
  await open("/customers");
  await page.evaluate(() => scrollTo(0, 240));
  await page.waitForFunction(() => scrollY === 240);
  await page.evaluate(() => (document.querySelector('a[href="/tasks"]') as HTMLElement).click());
  await page.waitForURL("**/tasks");
  await page.waitForFunction(() => scrollY === 0);
  await page.goBack();
  await page.waitForFunction(() => scrollY === 240);
});

test("runs commands by keyboard alone, and keeps letters typed while the dialog loads", async ({ visit, onTestFinished }) => {
  const { page, open } = await visit({ as: people.ada });
  await open("/test");
  const ada = await caller(at(undefined), people.ada.email);
  onTestFinished(async () => {
    await ada.call("PATCH", "/api/common/user", { layout: null, locale: "en" });
  });
  // The window's code is delayed: text typed before it arrives is buffered.
  await page.route(/palette-dialog/, async (route) => {
    await page.waitForFunction(() => (window as { typed?: number }).typed === 4);
    await route.continue();
  });
  await page.evaluate(() => {
    addEventListener("keyup", (event) => {
      const seen = window as { typed?: number };
      if (event.key.length === 1 && !event.ctrlKey) seen.typed = (seen.typed ?? 0) + 1;
    });
  });
  await page.keyboard.press("Control+k");
  await page.keyboard.type("team");
  const field = page.getByRole("dialog", { name: "Commands" }).getByRole("searchbox");
  await expect.poll(() => field.inputValue()).toBe("team");
  await page.keyboard.press("Enter");
  await page.waitForURL("**/team/list");

  await page.keyboard.press("Control+k");
  await field.fill("dense");
  await page.keyboard.press("Enter");
  await expect.poll(async () => (await ada.call<{ layout?: string }>("GET", "/api/common/user")).layout).toBe("dense");

  await page.keyboard.press("Control+k");
  await field.fill("espanol");
  await page.keyboard.press("Enter");
  await shown(page.getByRole("link", { name: "Clientes" }));
  await page.keyboard.press("Control+k");
  const commands = page.getByRole("dialog", { name: "Comandos" });
  await shown(commands.getByRole("group", { name: "Usados hace poco" }));
  await page.keyboard.press("Escape");
  await gone(commands);
});

test("offers text typed before a session ended again after sign-in", async ({ visit }) => {
  const { page, open, allow } = await visit({ as: people.ben });
  allow(/401/);
  await open("/settings/account");
  const name = page.getByRole("textbox", { name: /^Name/ });
  await name.fill("Benjamin Okafor");
  const ben = await caller(at(undefined), people.ben.email);
  const { items } = await ben.call<{ items: { id: string; current: boolean }[] }>("GET", "/api/auth/sessions");
  for (const { id, current } of items) if (!current) await ben.call("POST", "/api/auth/sessions/end", { id, password });
  await page.waitForURL(/sign-in\?redirectURL=/);
  await settled(page);
  await page.getByLabel("Email").fill(people.ben.email);
  await page.getByLabel("Password", { exact: true }).fill(password);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.waitForURL("**/settings/account");
  await page.getByRole("button", { name: "Restore" }).click();
  await expect.poll(() => name.inputValue()).toBe("Benjamin Okafor");
  await gone(page.getByRole("button", { name: "Restore" }));
  expect(place(page)).toBe("/settings/account");
});
