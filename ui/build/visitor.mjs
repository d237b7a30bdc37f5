/** A browser for measurements: Chromium, and pages of people who visit a running server. */
import { chromium } from "playwright-core";

export const launch = () =>
  chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox", "--disable-gpu"] });

export const median = (list) => list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)];
export const percentile = (list, share) => list.toSorted((a, b) => a - b)[Math.min(list.length - 1, Math.floor(list.length * share))];

/** Opens a browser context with an empty cache; `watch` runs in it before each page. `member` signs in. */
export async function visit(browser, address, { member, watch }) {
  const context = await browser.newContext({ baseURL: address, viewport: { width: 1440, height: 900 }, locale: "en" });
  await context.addInitScript(watch);
  const page = await context.newPage();
  if (member) {
    await page.goto("/favicon.svg");
    await page.evaluate(async (body) => {
      localStorage.setItem("atrium.signed-in", "1");
      await fetch("/api/auth/sign-in", { method: "POST", headers: { "Content-Type": "application/json" }, body });
    }, JSON.stringify(member));
  }
  return { context, page };
}

/** Waits until nothing is loading and the screen has not changed for a second. */
export async function settled(page) {
  await page.waitForSelector("h1");
  await page.waitForFunction(() => {
    const now = performance.now();
    if (document.querySelector("#splash, #loading-bar, [aria-busy=true]")) window.quiet = undefined;
    else window.quiet ??= now;
    return window.quiet !== undefined && now - window.quiet > 1000;
  });
}
