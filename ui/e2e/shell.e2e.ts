import { expect } from "vitest";
import { caller } from "./api";
import { lane } from "./lane";
import { people } from "./server";
import { at, gone, place, settled, shown, test, unread } from "./stage";

test("the language changes everything at once and stays after a reload", async ({ visit }) => {
  const { page, open } = await visit({ as: people.vera });
  await open("/test");
  await page.getByRole("button", { name: "Language" }).click();
  await shown(page.getByRole("menu"));
  expect(await page.getByRole("menuitem").allTextContents()).toEqual(["English", "British English", "Español"]);
  await page.getByRole("menuitem", { name: "Español" }).click();
  await shown(page.getByRole("heading", { name: "Prueba" }));
  await shown(page.getByRole("link", { name: "Clientes" }));
  expect(await page.locator("html").getAttribute("lang")).toBe("es");
  await gone(page.getByRole("link", { name: "Customers" }));
  await page.reload();
  await settled(page);
  await shown(page.getByRole("link", { name: "Clientes" }));
  expect(await page.locator("html").getAttribute("lang")).toBe("es");
  await page.getByRole("button", { name: "Idioma" }).click();
  await page.getByRole("menuitem", { name: "English", exact: true }).click();
  await shown(page.getByRole("link", { name: "Customers" }));
});

test("a menu opened by a key focuses an item every time", async ({ visit }) => {
  const { page, open } = await visit({ as: people.ada });
  await open("/test");
  const item = (name: string) => page.getByRole("menuitem", { name, exact: true });
  const focused = (name: string) => item(name).evaluate((element) => element === document.activeElement);
  for (const [key, name] of [
    ["Enter", "English"],
    ["Space", "English"],
    ["Enter", "English"],
    ["ArrowDown", "English"],
    ["ArrowUp", "Español"],
  ] as const) {
    await page.getByRole("button", { name: "Language" }).focus();
    await page.keyboard.press(key);
    await expect.poll(() => focused(name)).toBe(true);
    await page.keyboard.press("Escape");
    await gone(page.getByRole("menu"));
  }
});

test("search finds people regardless of case and accents, and opens them", async ({ visit }) => {
  const { page, open } = await visit({ as: people.ada });
  await open("/test");
  await page.keyboard.press("/");
  await page.getByRole("searchbox", { name: "Search", exact: true }).fill("nunez");
  const hit = page.getByRole("option", { name: "José Ñúñez" });
  await shown(hit);
  await hit.click();
  await page.waitForURL("**/customers/*");
  await shown(page.getByRole("heading", { name: "José Ñúñez" }));
});

test("search needs two letters, says when nothing is found, and closes by Escape", async ({ visit }) => {
  const { page, open } = await visit({ as: people.ada });
  await open("/test");
  const asked: string[] = [];
  page.on("request", (request) => request.url().endsWith("/api/common/search") && asked.push(request.postData() ?? ""));
  await page.keyboard.press("Control+k");
  const field = page.getByRole("searchbox", { name: "Search", exact: true });
  await field.fill("x");
  await field.fill("zzqqxx");
  await shown(page.getByText("No results found!"));
  expect(asked).toEqual([JSON.stringify({ query: "zzqqxx" })]);
  await page.keyboard.press("Escape");
  await gone(page.getByText("No results found!"));
  await page.keyboard.press("Escape");
  await gone(field);
  await page.getByRole("button", { name: "Search", exact: true }).click();
  await expect.poll(() => field.inputValue()).toBe("");
});

test("shortcuts are added, changed and deleted through the panel's modes", async ({ visit }) => {
  const { page, open } = await visit({ as: people.ben });
  await open("/test");
  await page.getByRole("button", { name: "Shortcuts" }).click();
  const panel = page.getByRole("dialog", { name: /Shortcuts/ });
  await shown(panel.getByText("When you have shortcuts, they will appear here."));

  await panel.getByRole("button", { name: "Add shortcut" }).first().click();
  const add = panel.getByRole("button", { name: "Add", exact: true });
  expect(await add.isDisabled()).toBe(true);
  await panel.getByLabel("Label").fill("My customers");
  await panel.getByLabel("Link", { exact: false }).last().fill("/customers");
  await expect.poll(() => add.isEnabled()).toBe(true);
  await add.click();
  // Editing continues after a save.
  const tile = panel.getByRole("button", { name: "Edit My customers" });
  await shown(tile);
  await tile.click();
  await panel.getByLabel("Label").fill("All customers");
  await panel.getByRole("button", { name: "Update" }).click();
  await shown(panel.getByRole("button", { name: "Edit All customers" }));
  await panel.getByRole("button", { name: "Stop editing" }).click();
  await shown(panel.getByRole("link", { name: "All customers" }));

  // The shortcut is saved, the panel opens in view mode, and the shortcut opens its address.
  await page.reload();
  await settled(page);
  await page.getByRole("button", { name: "Shortcuts" }).click();
  await panel.getByRole("link", { name: "All customers" }).click();
  await page.waitForURL("**/customers");

  await page.getByRole("button", { name: "Shortcuts" }).click();
  await panel.getByRole("button", { name: "Edit shortcuts" }).click();
  await panel.getByRole("button", { name: "Edit All customers" }).click();
  await panel.getByRole("button", { name: "Delete" }).click();
  await shown(panel.getByText("No shortcuts"));
});

for (const kind of ["Messages", "Notifications"] as const) {
  test(`${kind.toLowerCase()} are read, unread and removed, and the badge follows`, async ({ visit }) => {
    // Other tests on this server may have created items: this test starts with two unread ones of its own.
    const field = kind === "Messages" ? "message" : "notification";
    const ada = await caller(at(undefined), people.ada.email);
    await ada.call("POST", `/api/common/${kind.toLowerCase()}/mark-all-as-read`, {});
    for (const title of ["Keys handed out", "Badge printed"])
      await ada.call("POST", `/api/common/${kind.toLowerCase()}`, { [field]: { title, description: "Have a <strong>look</strong>." } });
    const { page, open } = await visit({ as: people.ada });
    await open("/test");
    const button = page.getByRole("button", { name: new RegExp(`^${kind}`) });
    const badge = () => unread(button);
    await expect.poll(badge).toBe(2);
    await button.click();
    const panel = page.getByRole("dialog", { name: kind });
    const item = panel.getByRole("listitem").filter({ hasText: "Keys handed out" });
    await shown(item);
    expect(await item.locator("strong", { hasText: "look" }).count()).toBe(1);
    expect(await panel.locator("time").first().textContent()).toMatch(/^[A-Z][a-z]{2} \d{2}, \d{1,2}:\d{2} [AP]M$/);

    await panel.getByRole("button", { name: "Mark as read" }).first().click();
    await expect.poll(badge).toBe(1);
    await panel.getByRole("button", { name: "Mark as unread" }).first().click();
    await expect.poll(badge).toBe(2);
    await panel.getByRole("button", { name: "Mark all as read" }).click();
    await expect.poll(badge).toBe(0);
    expect(await panel.getByRole("button", { name: "Mark all as read" }).isDisabled()).toBe(true);

    await item.hover();
    await item.getByRole("button", { name: "Remove" }).click();
    await gone(item);
    await page.keyboard.press("Escape");
    await gone(panel);

    // The server stored it; and an item that arrives is shown at once.
    await page.reload();
    await settled(page);
    expect(await badge()).toBe(0);
    await ada.call("POST", `/api/common/${kind.toLowerCase()}`, { [field]: { title: "Just now" } });
    await expect.poll(badge).toBe(1);
    await button.click();
    await shown(panel.getByText("Just now"));
  });
}

test("shows times in the member's time zone, not the browser's", async ({ visit }) => {
  const { page, open } = await visit({ as: people.ada });
  await open(lane().samples["events/:id"] ?? "");
  const ada = await caller(at(undefined), people.ada.email);
  const event = await ada.call<{ start: string }>("GET", `/api${lane().samples["events/:id"]}`);
  const inMadrid = new Intl.DateTimeFormat("en-US", { timeZone: "Europe/Madrid", hour: "numeric", minute: "2-digit" });
  await shown(page.getByRole("dialog").getByText(new RegExp(inMadrid.format(new Date(event.start)).replaceAll(/\s/g, "\\s"))));
});

test("the ? key lists the shortcuts, and Escape closes the list", async ({ visit }) => {
  const { page, open } = await visit({ as: people.ada });
  await open("/test");
  await page.keyboard.press("?");
  const keys = page.getByRole("dialog", { name: "Keyboard shortcuts" });
  await shown(keys);
  await page.keyboard.press("Escape");
  await gone(keys);
});

test("shows that the connection is lost until it is back", async ({ visit }) => {
  const { page, open, context, allow } = await visit({ as: people.ada });
  await open("/test");
  allow(/ERR_INTERNET_DISCONNECTED/);
  await context.setOffline(true);
  await shown(page.getByText("You’re offline. Atrium reconnects as soon as you’re back online."));
  await context.setOffline(false);
  await gone(page.getByText("You’re offline. Atrium reconnects as soon as you’re back online."));
});

test("two companies never see each other's records", async ({ visit }) => {
  const gus = await visit({ host: "globex", as: people.gus });
  await gus.open("/customers");
  await shown(gus.page.getByText("Secret Globex Client").first());
  await gone(gus.page.getByText("José Ñúñez").first());
  await gus.page.keyboard.press("/");
  await gus.page.getByRole("searchbox", { name: "Search", exact: true }).fill("nunez");
  await shown(gus.page.getByText("No results found!"));

  const ada = await visit({ as: people.ada });
  await ada.open("/customers");
  await shown(ada.page.getByText("José Ñúñez").first());
  await gone(ada.page.getByText("Secret Globex Client").first());
  expect(place(ada.page)).toMatch(/^\/customers/);
});

test("the first screen sends no request twice, and starts the first ones early", async ({ visit }) => {
  const { page, open } = await visit({ as: people.ada });
  const asked: string[] = [];
  page.on("request", (request) => {
    const { pathname, search } = new URL(request.url());
    if (/^\/(api|i18n)\//.test(pathname) && !search.includes("wait=")) asked.push(pathname + search);
  });
  await open("/dashboard");
  expect(asked.toSorted()).toEqual([...new Set(asked)].toSorted());
  expect(asked).toEqual(expect.arrayContaining(["/api/auth/refresh", "/api/live", "/api/dashboards/project?days=14"]));
  // The calls start before the libraries load, so no component made them.
  const early = await page.evaluate(() => {
    const started = (path: string) => performance.getEntriesByType("resource").find(({ name }) => name.includes(path))?.startTime;
    return { words: started("/i18n/en.json"), version: started("/api/global/version") };
  });
  expect(early.words).toBeLessThan(early.version ?? 0);
});
