import type { Locator, Page } from "playwright-core";
import { expect } from "vitest";
import { caller } from "./api";
import { people } from "./server";
import { at, gone, look, place, shown, test, unread } from "./stage";

test("a message is sent, received and answered, and its sender sees who has read it", async ({ visit, server: { origin } }) => {
  const ada = await visit({ origin, as: people.ada });
  const ben = await visit({ origin, as: people.ben });
  const phone = await visit({ origin, as: people.ben, width: 320, height: 640 });
  await ada.open("/team/list");

  // From the team's list, with the receiver filled in; the text survives closing the window.
  await ada.page.getByRole("button", { name: `New message to ${people.ben.name}` }).click();
  const dialog = ada.page.getByRole("dialog", { name: "New message" });
  await shown(dialog.getByRole("button", { name: `Remove ${people.ben.name}` }));
  await dialog.getByLabel(/^Subject/).fill("Keys of the van");
  await dialog.getByLabel(/^Message/).fill("Who has them?\nI need them <b>today</b>.");
  await ada.page.keyboard.press("Escape");
  await gone(dialog);
  await ada.page.getByRole("button", { name: `New message to ${people.ben.name}` }).click();
  await shown(dialog.getByText("We kept what you had typed."));
  await look(ada.page, "message-new", "en");
  await ada.page.setViewportSize({ width: 1440, height: 900 });
  await dialog.getByRole("button", { name: "Send" }).click();
  await gone(dialog);
  await ada.page.getByRole("button", { name: "Show", exact: true }).click();
  const sent = ada.page.getByRole("dialog", { name: "Keys of the van" });
  await shown(sent.getByText("Not read yet (1)"));
  await look(ada.page, "messages-sent-one", "en");
  await ada.page.setViewportSize({ width: 1440, height: 900 });

  // Both of his browsers show it, in the header and in the tab's title.
  await ben.open("/tasks");
  await phone.open("/tasks");
  const envelope = ben.page.getByRole("button", { name: /^Messages/ });
  await expect.poll(() => unread(envelope)).toBe(1);
  await expect.poll(() => unread(phone.page.getByRole("button", { name: /^Messages/ }))).toBe(1);
  await expect.poll(() => ben.page.title()).toMatch(/^\(\d+\) Tasks/);
  expect(await ben.page.getAttribute("link[rel=icon]", "href")).toBe("/favicon-unread.svg");

  await envelope.click();
  await ben.page
    .getByRole("dialog", { name: "Messages" })
    .getByRole("button", { name: `Reply to ${people.ada.name}` })
    .click();
  const answer = ben.page.getByRole("dialog", { name: `Reply to ${people.ada.name}` });
  await shown(answer.getByText("I need them <b>today</b>."));
  await expect.poll(() => answer.getByLabel(/^Subject/).inputValue()).toBe("Re: Keys of the van");
  await expect
    .poll(() => answer.getByRole("textbox", { name: /^Message/ }).evaluate((field) => field === document.activeElement))
    .toBe(true);
  await look(ben.page, "message-answer", "en");
  await ben.page.setViewportSize({ width: 1440, height: 900 });
  await answer.getByRole("textbox", { name: /^Message/ }).fill("I do.");
  await answer.getByRole("button", { name: "Send" }).click();
  await gone(answer);
  await expect.poll(() => unread(envelope)).toBe(0);
  // An item read in one browser is read in all.
  await phone.page.reload();
  await expect.poll(() => unread(phone.page.getByRole("button", { name: /^Messages/ }))).toBe(0);

  await ada.page.reload();
  await expect.poll(() => unread(ada.page.getByRole("button", { name: /^Messages/, includeHidden: true }))).toBe(1);
  await shown(sent.getByText("Read (1)"));
});

test("an owner writes to everyone by a command, and a member cannot", async ({ visit, server: { origin } }) => {
  const ada = await visit({ origin, as: people.ada });
  const ben = await visit({ origin, as: people.ben });
  await ada.open("/dashboard");
  await ada.page.keyboard.press("Control+k");
  await ada.page.getByRole("dialog", { name: "Commands" }).getByRole("searchbox").fill("new message");
  await ada.page.keyboard.press("Enter");
  const dialog = ada.page.getByRole("dialog", { name: "New message" });
  await dialog.getByRole("combobox").fill("every");
  await ada.page.getByRole("option", { name: /^Everyone/ }).click();
  await ada.page.keyboard.press("Escape");
  await dialog.getByLabel(/^Subject/).fill("Stocktaking");
  await dialog.getByLabel(/^Message/).fill("On Friday at three.");
  await dialog.getByRole("button", { name: "Send" }).click();
  await gone(dialog);

  await ben.open("/messages");
  await shown(ben.page.getByText("On Friday at three."));
  await look(ben.page, "messages-received", "en");
  await ben.page.setViewportSize({ width: 1440, height: 900 });
  await ben.page.getByRole("button", { name: "New message" }).click();
  await ben.page.getByRole("dialog").getByRole("combobox").fill("e");
  await shown(ben.page.getByRole("option").first());
  expect(await ben.page.getByRole("option", { name: /^Everyone/ }).count()).toBe(0);
  await ada.open("/messages/sent");
  await shown(ada.page.getByText("To everyone"));
  await look(ada.page, "messages-sent", "en");
});

test("saves notification preferences for each kind", async ({ visit, onTestFinished }) => {
  const ben = await caller(at(undefined), people.ben.email);
  onTestFinished(async () => {
    await ben.call("PATCH", "/api/common/user/notification-preferences", { kinds: { mention: { mail: true } }, digest: "off" });
    await ben.call("PATCH", "/api/common/user", { locale: null });
  });
  const { page, open } = await visit({ as: people.ben });
  await open("/settings/notifications");
  expect(await page.getByRole("checkbox", { name: "Security: In the app" }).isDisabled()).toBe(true);
  await page.getByRole("checkbox", { name: "Mention: By email" }).uncheck();
  await page.getByRole("radio", { name: "Every Monday" }).check({ force: true });
  await page.getByRole("button", { name: /At$/ }).click();
  await page.getByRole("option", { name: "6:00 PM" }).click();
  await look(page, "settings-notifications", "en");
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.getByRole("button", { name: "Save changes" }).click();
  await shown(page.getByText("Saved", { exact: true }));
  const kept = await ben.call<{ kinds: Record<string, object>; digest: string; digestHour: number }>(
    "GET",
    "/api/common/user/notification-preferences",
  );
  expect(kept).toMatchObject({ kinds: { mention: { app: true, mail: false } }, digest: "weekly", digestHour: 18 });
  await ben.call("PATCH", "/api/common/user", { locale: "es" });
  // On a phone the current topic is visible, even at the end of the row.
  await page.setViewportSize({ width: 320, height: 640 });
  await expect
    .poll(() =>
      page.locator("nav [aria-current=page]", { hasText: /Notifications|Notificaciones/ }).evaluate((link) => {
        const { left, right } = link.getBoundingClientRect();
        return left >= 0 && right <= innerWidth;
      }),
    )
    .toBe(true);
  for (const screen of ["settings/notifications", "messages", "messages/sent", "notifications"]) {
    await open(`/${screen}`);
    await look(page, screen, "es");
  }
});

test("shows one browser notification while no tab is visible, and a click opens the message", async ({ visit }) => {
  const { page, open, context } = await visit({ as: people.vera, windowed: true });
  await context.grantPermissions(["notifications"]);
  await context.addInitScript(() => {
    // Records the browser's notifications, and simulates whether the page is visible.
    const shared = window as unknown as { told: Notification[]; away: boolean };
    shared.told = [];
    shared.away = false;
    const Real = Notification;
    window.Notification = class extends Real {
      constructor(title: string, options?: NotificationOptions) {
        super(title, options);
        shared.told.push(this);
      }
    };
    Object.defineProperty(document, "visibilityState", { get: () => (shared.away ? "hidden" : "visible") });
  });
  const lookAway = (away: boolean) =>
    page.evaluate((next) => {
      (window as unknown as { away: boolean }).away = next;
      document.dispatchEvent(new Event("visibilitychange"));
    }, away);
  const told = () => page.evaluate(() => (window as unknown as { told: Notification[] }).told.map(({ title, body }) => ({ title, body })));

  await open("/settings/notifications");
  await page.getByRole("switch").check({ force: true });
  await shown(page.getByRole("button", { name: "Show a test notification" }));
  await look(page, "settings-notifications-browser", "en");
  await page.setViewportSize({ width: 1440, height: 900 });

  const ada = await caller(at(undefined), people.ada.email);
  const vera = (await ada.call<{ items: { id: string; name: string }[] }>("GET", "/api/team")).items.find(
    ({ name }) => name === people.vera.name,
  );
  const send = (title: string) => ada.call("POST", "/api/messages/send", { to: [vera?.id], title, text: "The text stays within." });
  await send("While she looks");
  const envelope = page.getByRole("button", { name: /^Messages/ });
  await expect.poll(() => unread(envelope)).toBeGreaterThan(0);
  const before = await unread(envelope);
  await lookAway(true);
  await send("While she is away");
  await expect.poll(() => unread(envelope)).toBe(before + 1);
  await expect.poll(told).toEqual([{ title: people.ada.name, body: "New message" }]);
  await page.evaluate(() => (window as unknown as { told: Notification[] }).told[0]?.dispatchEvent(new Event("click")));
  await lookAway(false);
  await shown(page.getByRole("dialog", { name: `Reply to ${people.ada.name}` }).getByText("While she is away"));
  expect(place(page)).toBe("/settings/notifications");
  await expect.poll(() => unread(envelope)).toBe(before);
});

test("changes to a message on one device appear on the other, in the panel and on the page", async ({ visit, server: { origin, url } }) => {
  const ada = await caller(url, people.ada.email);
  const team = await ada.call<{ items: { id: string; name: string }[] }>("GET", "/api/team");
  const ben = team.items.find(({ name }) => name === people.ben.name);
  const send = (title: string) => ada.call("POST", "/api/messages/send", { to: [ben?.id], title, text: "By Friday." });

  const desk = await visit({ origin, as: people.ben });
  const phone = await visit({ origin, as: people.ben, width: 320, height: 640 });
  await desk.open("/tasks");
  await phone.open("/messages");
  // A reload would remove this mark.
  for (const { page } of [desk, phone]) await page.evaluate(() => document.documentElement.setAttribute("data-stayed", ""));
  const envelope = (page: Page) => page.getByRole("button", { name: /^Messages/, includeHidden: true });
  const count = async (expected: number) => {
    for (const { page } of [desk, phone]) await expect.poll(() => unread(envelope(page))).toBe(expected);
  };
  await envelope(desk.page).click();
  const panel = desk.page.getByRole("dialog", { name: "Messages" });
  const list = phone.page.getByRole("main");
  const item = (place: Locator, title: string) => place.getByRole("listitem").filter({ hasText: title });
  const press = (place: Locator, title: string, name: string) => item(place, title).getByRole("button", { name }).click();
  const offers = (place: Locator, title: string, name: string) => shown(item(place, title).getByRole("button", { name }));
  await count(0);

  // Both browsers receive them, newest first.
  for (const title of ["Keys", "Lease", "Paint"]) await send(title);
  await count(3);
  for (const place of [panel, list]) {
    await shown(item(place, "Paint"));
    await expect.poll(() => place.getByRole("listitem").allTextContents()).toHaveLength(3);
    expect(await place.getByRole("listitem").first().textContent()).toContain("Paint");
  }

  // Read in the panel and seen on the page, and vice versa.
  await press(panel, "Keys", "Mark as read");
  await count(2);
  await offers(list, "Keys", "Mark as unread");
  await press(list, "Lease", "Mark as read");
  await count(1);
  await offers(panel, "Lease", "Mark as unread");
  await press(list, "Lease", "Mark as unread");
  await count(2);
  await offers(panel, "Lease", "Mark as read");

  // Removed on the page and gone from the panel, and vice versa.
  await press(list, "Lease", "Remove");
  await count(1);
  await gone(item(panel, "Lease"));
  await press(panel, "Keys", "Remove");
  await gone(item(list, "Keys"));
  await count(1);

  // All at once, from either.
  await send("Fence");
  await count(2);
  await panel.getByRole("button", { name: "Mark all as read" }).click();
  await count(0);
  for (const title of ["Paint", "Fence"]) await offers(list, title, "Mark as unread");
  await send("Gate");
  await count(1);
  await list.getByRole("button", { name: "Mark all as read" }).click();
  await count(0);
  await offers(panel, "Gate", "Mark as unread");
  for (const { page } of [desk, phone]) expect(await page.locator("html[data-stayed]").count()).toBe(1);
});
