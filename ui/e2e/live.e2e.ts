import type { BrowserContext, Locator, Page } from "playwright-core";
import { describe, expect } from "vitest";
import type { Caller } from "./api";
import { callers, speak } from "./callers";
import { lane } from "./lane";
import { people } from "./server";
import { gone, look, settled, shown, test, unread } from "./stage";

const { ada, ben } = callers();

/** Opens paths in tabs of one browser. */
async function tabs(context: BrowserContext, first: Page, paths: string[]): Promise<Page[]> {
  const pages: Page[] = [];
  for (const [place, path] of paths.entries()) {
    const page = place === 0 ? first : await context.newPage();
    await page.goto(path);
    await settled(page);
    pages.push(page);
  }
  return pages;
}

/** Waits until all checks pass, and prints how long the last one took. */
async function everywhere(what: string, since: number, checks: (() => Promise<unknown>)[]) {
  await Promise.all(checks.map((check) => check()));
  console.info(`${what}: seen everywhere after ${Date.now() - since} ms`);
}

/** Returns an element's accessible description. */
const description = (element: Element) => document.getElementById(element.getAttribute("aria-describedby") ?? "")?.textContent ?? "";
const bell = (page: Page) => page.getByRole("button", { name: "Notifications" });
const clearNotices = async (who: Caller) => {
  const items = await who.call<{ id: string }[]>("GET", "/api/common/notifications");
  if (items.length > 0) await who.call("POST", "/api/common/notifications/batch", { ids: items.map(({ id }) => id), action: "remove" });
};
const notify = (who: Caller, title: string) =>
  who.call<{ id: string }>("POST", "/api/common/notifications", { notification: { title, read: false, seen: false } });

test("changes in one tab appear in all others, in this and another browser", async ({ visit }) => {
  await clearNotices(ben);
  await notify(ben, "The lease is due");
  const here = await visit({ as: people.ben });
  const there = await visit({ as: people.ben });
  const paths = ["/notifications", "/tasks", "/team/list"];
  const mine = await tabs(here.context, here.page, paths);
  const others = await tabs(there.context, there.page, paths);
  const all = [...mine, ...others];
  const [list, tasks] = mine as [Page, Page, Page];
  for (const page of all) await expect.poll(() => unread(bell(page))).toBe(1);

  // One message is read, and another arrives: every tab shows the server's count.
  const item = (page: Page) => page.getByRole("listitem").filter({ hasText: "The lease is due" });
  let since = Date.now();
  await item(list).getByRole("button", { name: "Mark as read" }).click();
  await everywhere("a notice that was read", since, [
    ...all.map((page) => () => expect.poll(() => unread(bell(page)), { interval: 10 }).toBe(0)),
    () => shown(item(others[0] as Page).getByRole("button", { name: "Mark as unread" })),
  ]);
  since = Date.now();
  await notify(ben, "Another lease is due");
  await everywhere("a new notice", since, [
    ...all.map((page) => () => expect.poll(() => unread(bell(page)), { interval: 10 }).toBe(1)),
    ...[list, others[0] as Page].map((page) => () => shown(page.getByText("Another lease is due"))),
  ]);

  // A task is completed.
  const task = await ada.call<{ id: string }>("POST", "/api/tasks", { type: "task", title: "Paint the gate", assigneeId: ben.id });
  const box = (page: Page) => page.getByRole("checkbox", { name: /Paint the gate/ });
  await shown(box(tasks));
  since = Date.now();
  await box(tasks).click();
  await everywhere("a completed task", since, [() => gone(box(others[1] as Page))]);
  await ada.call("DELETE", `/api/tasks/${task.id}`);

  // A member signs in and sets the status busy.
  const vera = await visit({ as: people.vera });
  const row = (page: Page) => page.getByRole("row").filter({ hasText: people.vera.name });
  const teams = [mine[2] as Page, others[2] as Page];
  since = Date.now();
  await vera.open("/test");
  await everywhere(
    "somebody who came",
    since,
    teams.map((page) => () => shown(row(page).getByText("Online"))),
  );
  await vera.page.getByRole("button", { name: "User menu" }).click();
  await vera.page.getByRole("menuitem", { name: "Status" }).click();
  since = Date.now();
  await vera.page.getByRole("menuitemradio", { name: "Busy" }).click();
  await everywhere(
    "a status",
    since,
    teams.map((page) => () => shown(row(page).getByText("Busy"))),
  );
  const sockets = await Promise.all(all.map((page) => page.evaluate(() => navigator.locks.query())));
  expect(sockets.flatMap(({ held = [] }) => held.filter(({ name }) => /^atrium-line-(?!tab-)/.test(name ?? ""))).length).toBe(6);
  await clearNotices(ben);
});

test("everything missed while offline appears once and in order", async ({ visit }) => {
  await clearNotices(ben);
  const { page, context, open, allow } = await visit({ as: people.ben });
  allow(/ERR_INTERNET_DISCONNECTED|WebSocket connection/);
  await open("/notifications");
  await context.setOffline(true);
  await shown(page.getByRole("status").getByText("You’re offline. Atrium reconnects as soon as you’re back online."));
  for (const number of [1, 2, 3, 4, 5]) await notify(ben, `Missed ${number}`);
  const task = await ada.call<{ id: string }>("POST", "/api/tasks", { type: "task", title: "Made meanwhile", assigneeId: ben.id });
  await context.setOffline(false);
  await shown(page.getByText("Missed 5"));
  const titles = () => page.getByText(/^Missed \d$/).allTextContents();
  await expect.poll(titles).toEqual(["Missed 5", "Missed 4", "Missed 3", "Missed 2", "Missed 1"]);
  await expect.poll(() => unread(bell(page))).toBe((await ben.call<{ unread: number }>("GET", "/api/common/notifications/unread")).unread);
  await gone(page.getByRole("status").getByText("You’re offline. Atrium reconnects as soon as you’re back online."));
  await ada.call("DELETE", `/api/tasks/${task.id}`);
  await clearNotices(ben);
});

test("receives live updates by long polling where sockets are blocked", async ({ visit }) => {
  await clearNotices(ben);
  const { page, context, open } = await visit({ as: people.ben });
  let opened = 0;
  await context.routeWebSocket(/\/api\/socket/, (socket) => {
    opened += 1;
    void socket.close({ code: 1011 });
  });
  const waits = page.waitForRequest(/\/api\/live\?after=\d+&wait=25/);
  await open("/notifications");
  await waits;
  expect(opened).toBe(2);
  await notify(ben, "By the other way");
  await shown(page.getByText("By the other way"));
  await expect.poll(() => unread(bell(page))).toBe(1);
  await gone(page.getByText("Connection lost. Trying again…"));
  await clearNotices(ben);
});

test("others see the status that a member chooses, in the team and in the chat", async ({ visit, onTestFinished }) => {
  onTestFinished(async () => void (await ben.call("PATCH", "/api/common/user", { status: "online" })));
  const hers = await visit({ as: people.ada });
  const his = await visit({ as: people.ben });
  await his.open("/test");
  const chat = await ada.call<{ id: string }>("POST", "/api/apps/chat/chat", { contactId: ben.id });
  const [team, talk] = (await tabs(hers.context, hers.page, ["/team/list", `/chat/${chat.id}`])) as [Page, Page];
  const row = team.getByRole("row").filter({ hasText: people.ben.name });
  const head = talk.getByRole("heading", { level: 2, name: people.ben.name }).locator("..");
  const entry = talk.getByRole("navigation", { name: "Conversations" }).getByRole("link", { name: new RegExp(`^${people.ben.name}`) });
  const choose = async (status: string) => {
    await his.page.getByRole("button", { name: "User menu" }).click();
    await his.page.getByRole("menuitem", { name: "Status" }).click();
    await his.page.getByRole("menuitemradio", { name: status, exact: true }).click();
    await gone(his.page.getByRole("menu"));
  };
  const seen = async (status: "Online" | "Away" | "Busy") => {
    const dot = `[data-status="${status.toLowerCase()}"]`;
    await shown(row.getByText(status, { exact: true }));
    await shown(row.locator(dot).first());
    await shown(head.getByText(status, { exact: true }));
    await shown(entry.locator(dot));
    await expect.poll(() => entry.evaluate(description)).toContain(status);
  };
  await seen("Online");
  await choose("Busy");
  await seen("Busy");
  await choose("Away");
  await seen("Away");

  // A member who is not visible appears absent to others, also to those who sign in later.
  await choose("Not visible");
  const unseen = async () => {
    for (const place of [row, entry]) await expect.poll(() => place.locator("[data-status]").count()).toBe(0);
    await shown(head.getByText("Offline", { exact: true }));
    await gone(row.getByText(/^(Online|Away|Busy|Not visible)$/));
    expect(await entry.evaluate(description)).not.toMatch(/Online|Away|Busy|Not visible/);
  };
  await unseen();
  for (const page of [team, talk]) {
    await page.reload();
    await settled(page);
  }
  await unseen();
  // Their own menu shows that they are not visible.
  await his.page.getByRole("button", { name: "User menu" }).click();
  await shown(his.page.getByRole("menuitem", { name: "Status" }).locator('[data-status="not-visible"]'));
  await his.page.keyboard.press("Escape");
  await choose("Online");
  await seen("Online");
});

describe("two people editing one customer", () => {
  const path = () => lane().samples["customers/:id"] ?? "";

  /** Opens the customer's form. */
  async function edit(page: Page): Promise<Locator> {
    await page.goto(path());
    await settled(page);
    await page.getByRole("button", { name: /^(Edit|Editar)$/ }).click();
    const form = page.getByRole("dialog");
    await shown(form.getByLabel(/^(Name|Nombre)/).first());
    return form;
  }
  const saveButton = (form: Locator) => form.locator("button[type=submit]");

  test("each sees that the other is editing until they cancel", async ({ visit }) => {
    await speak(ben, "es");
    const hers = await visit({ as: people.ada });
    const his = await visit({ as: people.ben });
    await edit(hers.page);
    await edit(his.page);
    await shown(hers.page.getByText("Ben Okafor is editing this too."));
    await shown(his.page.getByText("Ada Moreno también está editando esto."));
    await look(hers.page, "editors", "en");
    await look(his.page, "editors", "es");
    await his.page.getByRole("button", { name: "Cancelar" }).click();
    await gone(hers.page.getByText("Ben Okafor is editing this too."));
    await speak(ben, "en");
  });

  test.for(["en", "es"] as const)("an outdated save asks which version to keep, and loses nothing (%s)", async (language, { visit }) => {
    const id = path().split("/").at(-1);
    const before = await ada.call<{ name: string; about: string }>("GET", `/api/customers/${id}`);
    await speak(ada, language);
    const { page, allow } = await visit({ as: people.ada });
    allow(/status of 412/);
    const form = await edit(page);
    await form.getByLabel(/^(About|Acerca de)/).fill("My words about them");
    await form
      .getByLabel(/^(Company|Empresa)/)
      .first()
      .fill("My company");
    await ben.call("PATCH", `/api/customers/${id}`, { about: "His words about them", name: "José Núñez Prieto" });
    await saveButton(form).click();
    const dialog = page.getByRole("dialog", { name: /^(Two versions|Dos versiones)$/ });
    await shown(dialog);
    await shown(dialog.getByText("His words about them"));
    await shown(dialog.getByText("My words about them"));
    await look(page, "versions", language);
    // Back in the form, the typed text is unchanged.
    await page.keyboard.press("Escape");
    await gone(dialog);
    await expect.poll(() => form.getByLabel(/^(About|Acerca de)/).inputValue()).toBe("My words about them");
    await form.getByRole("button", { name: /^(Compare versions|Comparar versiones)$/ }).click();
    await dialog
      .getByRole("group", { name: /^(About|Acerca de)/ })
      .getByRole("radio")
      .last()
      .click();
    await dialog.getByRole("button", { name: /^(Save this version|Guardar esta versión)$/ }).click();
    await gone(dialog);
    await expect
      .poll(() => ada.call("GET", `/api/customers/${id}`))
      .toMatchObject({
        name: "José Núñez Prieto",
        about: "His words about them",
        details: { company: "My company" },
      });
    await ada.call("PATCH", `/api/customers/${id}`, {
      name: before.name,
      about: before.about,
      details: { company: "Ferretería del Sol" },
    });
  });
});
