import { mkdir } from "node:fs/promises";
import axe from "axe-core";
import { type Browser, type BrowserContext, chromium, type Locator, type Page } from "playwright-core";
import { test as base, expect, inject } from "vitest";
import { keepKnown, known } from "./api";
import { chromiumOptions } from "./browsers";
import { lane } from "./lane";
import { password, startServer } from "./server";

/** Returns a company's own address; without one, the installation's. */
export const at = (host: "acme" | "globex" | undefined) => `http://${host ? `${host}.localhost` : "127.0.0.1"}:${lane().port}`;

let browser: Promise<Browser> | undefined;

/** Collects unexpected messages of the browser's console. */
interface Watch {
  page: Page;
  /** Allows messages that the test causes, such as a refused request. */
  allow: (pattern: RegExp) => void;
  complaints: () => string[];
}

function watch(page: Page): Watch {
  const said: string[] = [];
  const allowed: RegExp[] = [];
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") said.push(`${message.text()} (${message.location().url})`);
  });
  page.on("pageerror", (error) => said.push(`uncaught: ${error.stack ?? error.message}`));
  return {
    page,
    allow: (pattern) => allowed.push(pattern),
    complaints: () => said.filter((text) => !allowed.some((pattern) => pattern.test(text))),
  };
}

interface Visitor extends Watch {
  context: BrowserContext;
  /** Opens a path of the application and waits until it has loaded. */
  open: (path: string) => Promise<void>;
  /** Goes to a path within the open application, as a link does: without loading it again. */
  go: (path: string) => Promise<void>;
}

interface Visit {
  host?: "acme" | "globex";
  /** The address of another server. */
  origin?: string;
  /** Starts signed in as this member. */
  as?: { email: string };
  locale?: string;
  width?: number;
  height?: number;
  /** Whether the screen is pressed by fingers. */
  touch?: boolean;
  /** Whether the browser has windows, and therefore notifications. */
  windowed?: boolean;
}

export interface Stage {
  /** A separate server for the test: its address, and that of its first company. */
  server: { url: string; origin: string };
  /** Opens a separate browser context; its console must have no unexpected messages. */
  visit: (options?: Visit) => Promise<Visitor>;
}

/** A test with visitors. */
export const test = base.extend<Stage>({
  // biome-ignore lint/correctness/noEmptyPattern: the signature of a fixture
  server: async ({}, use) => {
    const { url, stop } = await startServer();
    await use({ url, origin: url.replace("127.0.0.1", "acme.localhost") });
    await stop();
  },
  visit: async ({ task }, use) => {
    browser ??= chromium.connect(inject("browser"));
    const visitors: Visitor[] = [];
    const shared = await browser;
    let own: Browser | undefined;
    await use(
      async ({ host = "acme", origin = at(host), as, locale = "en", width = 1440, height = 900, touch = false, windowed = false } = {}) => {
        if (windowed) own ??= await chromium.launch(chromiumOptions(true));
        const context = await (own ?? shared).newContext({
          baseURL: origin,
          locale,
          viewport: { width, height },
          hasTouch: touch,
          reducedMotion: "reduce",
        });
        context.setDefaultTimeout(20_000);
        if (as) await signInByCall(context, origin, as.email);
        const page = await context.newPage();
        const visitor: Visitor = {
          ...watch(page),
          context,
          open: async (path) => {
            await page.goto(path);
            await settled(page);
          },
          go: async (path) => {
            await page.evaluate(follow(path));
            await settled(page);
          },
        };
        visitors.push(visitor);
        return visitor;
      },
    );
    if (task.result?.state === "fail") for (const { page } of visitors) console.error(await description(page));
    for (const { context } of visitors) await context.close();
    await own?.close();
    expect(visitors.flatMap(({ complaints }) => complaints())).toEqual([]);
  },
});

keepKnown(at(undefined), lane().mark);

/** Returns the address and the content of a page, for the report of a failed test. */
async function description(page: Page): Promise<string> {
  const content = await page
    .locator("body")
    .ariaSnapshot({ timeout: 1_000 })
    .catch((error: Error) => error.message);
  return `${page.url()} shows:\n${content.slice(0, 8_000)}`;
}

/** Sets the session cookie and the stored key that shows the application that a session exists. */
async function signInByCall(context: BrowserContext, origin: string, email: string) {
  await context.addCookies([{ ...known(origin), url: origin }]);
  const page = await context.newPage();
  await page.goto("/favicon.svg");
  const status = await page.evaluate(async (body) => {
    localStorage.setItem("atrium.signed-in", "1");
    const headers = { "Content-Type": "application/json" };
    return (await fetch("/api/auth/sign-in", { method: "POST", headers, body })).status;
  }, JSON.stringify({ email, password }));
  expect(status).toBe(200);
  await page.close();
}

/** Signs in on the screen. */
export async function signIn(page: Page, email: string, secret = password) {
  await page.getByLabel("Email").fill(email);
  await page.getByLabel("Password", { exact: true }).fill(secret);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
}

/** Waits until the splash is gone and nothing is loading. */
export async function settled(page: Page) {
  await page.waitForFunction(() => {
    const waiting = document.querySelector("#splash, #loading-bar, [aria-busy=true]");
    const now = performance.now();
    const seen = window as { quietSince?: number | undefined };
    if (waiting || !document.querySelector("h1, h2, main")) seen.quietSince = undefined;
    else seen.quietSince ??= now;
    return seen.quietSince !== undefined && now - seen.quietSince > 200;
  });
}

/** Whether to check everything, also what hardly differs: `make proof PART=journeys`. */
export const thorough = process.env.ATRIUM_E2E_THOROUGH === "1";

/** An expression that goes to a path of the application that is open. The router numbers its places in the history. */
export const follow = (path: string) =>
  `history.pushState({ idx: (history.state?.idx ?? 0) + 1 }, "", ${JSON.stringify(path)}), dispatchEvent(new PopStateEvent("popstate"))`;

/** Fails on accessibility findings of axe that are serious or critical. */
async function expectAccessible(page: Page, where: string) {
  if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(axe.source);
  const findings = await page.evaluate(async () => {
    const { axe } = window as unknown as { axe: typeof import("axe-core") };
    // Axe speaks to frames by their origin, which the sandboxed frame of a PDF does not have.
    const { violations } = await axe.run(document, { resultTypes: ["violations"], iframes: false });
    return violations
      .filter(({ impact }) => impact === "serious" || impact === "critical")
      .flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 200)} ${failureSummary ?? ""}`));
  });
  expect(findings, [where, ...findings].join("\n")).toEqual([]);
}

/** Fails when the page stays so wide that it scrolls horizontally. A screen follows its new size in the next frames. */
async function expectNoSidewaysScroll(page: Page, where: string) {
  const beyond = () => page.evaluate(() => Math.max(0, document.documentElement.scrollWidth - innerWidth));
  await expect.poll(beyond, { message: `${where} is wider than the screen` }).toBe(0);
}

export const sizes = [
  { width: 1440, height: 900 },
  { width: 768, height: 1024 },
  { width: 320, height: 640 },
];
const shots = process.env.SHOTS;

/**
 * Checks a screen at every size; saves screenshots in the folder `SHOTS`. Axe, which needs more time than all else, sees
 * the narrowest and the widest size, in Spanish the narrowest, unless the tests are thorough.
 */
export async function look(page: Page, name: string, language: string, at = sizes) {
  const byWidth = at.toSorted((one, other) => one.width - other.width);
  const inspected = thorough ? at : [byWidth[0], language === "es" ? undefined : byWidth.at(-1)];
  for (const size of at) {
    await page.setViewportSize(size);
    // On a busy machine the page may not have the new size yet.
    await page.waitForFunction((width) => innerWidth === width, size.width);
    await settled(page);
    const where = `/${name} at ${size.width} in ${language}`;
    if (shots) {
      await mkdir(shots, { recursive: true });
      await page.screenshot({ path: `${shots}/${name.replaceAll(/[/:]+/g, "-")}.${language}.${size.width}.png` });
    }
    await expectNoSidewaysScroll(page, where);
    if (inspected.includes(size)) await expectAccessible(page, where);
  }
}

/** Returns the number on a header button; no badge is 0. Reads at once, because it may change. */
export const unread = (button: Locator): Promise<number> =>
  button.locator("[data-count]").evaluateAll(([badge]) => Number(badge?.getAttribute("data-count") ?? 0));

/** Waits until an element is visible. */
export const shown = (locator: Locator) => locator.waitFor({ state: "visible" });
/** Waits until an element is hidden. */
export const gone = (locator: Locator) => locator.waitFor({ state: "hidden" });
/** Presses beside an open dialog, once it no longer ignores that because it opens. */
export async function pressBeside(page: Page, x: number, y: number) {
  await page.waitForTimeout(350);
  await page.mouse.click(x, y);
}
/** Returns the path, query and fragment of a page. */
export function place(page: Page): string {
  const { pathname, search, hash } = new URL(page.url());
  return pathname + search + hash;
}
