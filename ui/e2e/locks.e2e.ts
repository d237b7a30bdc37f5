import type { Page } from "playwright-core";
import { expect } from "vitest";
import { caller } from "./api";
import { lane } from "./lane";
import { password, people } from "./server";
import { at, gone, look, place, settled, shown, test } from "./stage";

const lockScreen = (page: Page) => page.getByRole("heading", { name: "Session locked" });

async function unlock(page: Page, secret = password) {
  await page.getByLabel("Password", { exact: true }).fill(secret);
  await page.getByRole("button", { name: "Unlock" }).click();
}

/** Creates a member for a test that ends or locks sessions that others would need. */
async function newMember(name: string) {
  const ada = await caller(at(undefined), people.ada.email);
  const email = `${name}.${lane().port}@acme.example`;
  await ada.call("POST", "/api/team", { name: `${name} Lockhart`, email, role: "member", password });
  return { email };
}

test("a manual lock hides the page, is enforced by the server, and restores typed text after unlocking", async ({ visit }) => {
  const { page, open, allow } = await visit({ as: await newMember("lola") });
  await open("/settings/account");
  await page.getByLabel("Name").fill("Lola Half-written");
  await page.keyboard.press("Control+k");
  await page.getByRole("dialog", { name: "Commands" }).getByRole("searchbox").fill("lock the");
  await page.keyboard.press("Enter");
  await shown(lockScreen(page));
  expect(place(page)).toBe(`/unlock-session?redirectURL=${encodeURIComponent("/settings/account")}`);
  await shown(page.getByText("lola Lockhart"));
  await gone(page.getByRole("button", { name: "User menu" }));
  expect(await page.locator("body").textContent()).not.toContain("Half-written");

  allow(/status of 423/);
  // Neither a reload nor another address opens the application.
  for (const path of ["/customers", "/sign-in", "/"]) {
    await open(path);
    await shown(lockScreen(page));
  }
  const refused = await page.evaluate(async () => {
    const headers = { "Content-Type": "application/json" };
    return (await fetch("/api/auth/refresh", { method: "POST", headers, body: "{}" })).status;
  });
  expect(refused).toBe(423);

  await open(`/unlock-session?redirectURL=${encodeURIComponent("/settings/account")}`);
  allow(/status of 400/);
  await unlock(page, "not the password");
  await shown(page.getByRole("alert").getByText(/tries left/));
  await unlock(page);
  await page.waitForURL("**/settings/account");
  await page.getByRole("button", { name: "Restore" }).click();
  await expect.poll(() => page.getByLabel("Name").inputValue()).toBe("Lola Half-written");
});

test("all tabs lock and unlock together, each back on its own page", async ({ visit }) => {
  const { page, open, context, allow } = await visit({ as: await newMember("theo") });
  allow(/status of 423/);
  await open("/test");
  const second = await context.newPage();
  await second.goto("/tasks?view=mine");
  await settled(second);
  await page.getByRole("button", { name: "User menu" }).click();
  await page.getByRole("menuitem", { name: "Lock" }).click();
  await Promise.all([shown(lockScreen(page)), shown(lockScreen(second))]);
  await unlock(second);
  await second.waitForURL("**/tasks?view=mine");
  await page.waitForURL("**/test");
  await shown(page.getByRole("heading", { name: "Test" }));
});

test("an idle session shows a warning, then locks", async ({ visit }) => {
  const { page, context, allow } = await visit({ as: await newMember("iris") });
  allow(/status of 423/);
  // A socket may be opened in the moment in which the session is locked.
  allow(/Unexpected response code: 423/);
  await page.clock.install();
  await page.goto("/test");
  await shown(page.getByRole("heading", { name: "Test" }));
  const other = await context.newPage();
  await other.goto("/tasks");
  await settled(other);

  const warning = page.getByRole("alertdialog", { name: "Your session is about to lock" });
  await page.clock.fastForward("29:05");
  await shown(warning);
  await look(page, "idle-warning", "en");
  await page.setViewportSize({ width: 1440, height: 900 });
  await warning.getByRole("button", { name: "Keep working" }).click();
  await gone(warning);
  await page.clock.fastForward("28:00");
  await shown(page.getByRole("heading", { name: "Test" }));
  await page.clock.fastForward("01:10");
  await shown(warning);
  await page.clock.fastForward("01:05");
  await Promise.all([shown(lockScreen(page)), shown(lockScreen(other))]);
  await unlock(page);
  await page.waitForURL("**/test");
  await other.waitForURL("**/tasks");
});

test("the fifth wrong password ends the session", async ({ visit }) => {
  const { page, open, allow } = await visit({ as: await newMember("otto") });
  allow(/status of 4(00|01|23)/);
  await open("/test");
  await page.getByRole("button", { name: "User menu" }).click();
  await page.getByRole("menuitem", { name: "Lock" }).click();
  for (const left of ["4 tries", "3 tries", "2 tries", "1 try"]) {
    await unlock(page, "not the password");
    await shown(page.getByRole("alert").getByText(left));
  }
  await unlock(page, "not the password");
  await shown(page.getByRole("alert").getByText(/too many wrong passwords/));
  expect(place(page)).toMatch(/^\/sign-in\?redirectURL=%2Ftest/);
  await open("/test");
  expect(place(page)).toBe(`/sign-in?redirectURL=${encodeURIComponent("/test")}`);
});

test("a locked member can sign out", async ({ visit }) => {
  const { page, open, allow } = await visit({ as: await newMember("nora") });
  allow(/status of 4(01|23)/);
  await open("/test");
  await page.getByRole("button", { name: "User menu" }).click();
  await page.getByRole("menuitem", { name: "Lock" }).click();
  await page.getByRole("link", { name: "Sign out" }).click();
  await shown(page.getByRole("heading", { name: "You’ve signed out" }));
  await page.waitForURL("**/sign-in");
});

test.for(["en", "es"])("the lock screen in %s", async (language, { visit }) => {
  const member = await newMember(`lena-${language}`);
  const api = await caller(at(undefined), member.email);
  await api.call("PATCH", "/api/common/user", { locale: language });
  const { page, open, allow } = await visit({ as: member, locale: language });
  allow(/status of 423/);
  await open("/test");
  await page.getByRole("button", { name: /User menu|Menú de usuario/ }).click();
  await page.getByRole("menuitem", { name: /^(Lock|Bloquear)$/ }).click();
  await shown(page.getByRole("heading", { name: /Session locked|Sesión bloqueada/ }));
  await look(page, "unlock-session", language);
});
