import type { Page } from "playwright-core";
import { expect } from "vitest";
import { people } from "./server";
import { settled, shown, test, unread } from "./stage";

/** Opens the conversation with a colleague; the first time it has to be begun. */
async function converse(page: Page, name: string, { begin = false } = {}) {
  await page.getByRole("button", { name: "Chat", exact: true }).click();
  const drawer = page.getByRole("dialog", { name: "Team Chat" });
  if (begin) {
    await drawer.getByRole("button", { name: "New conversation" }).click();
    await drawer.getByRole("searchbox", { name: "Find a colleague" }).fill(name.slice(0, 3).toLowerCase());
  }
  const among = begin ? drawer.getByRole("listitem") : drawer.getByRole("navigation", { name: "Conversations" });
  await among.getByRole("button", { name: new RegExp(`^${name}`) }).click();
  const log = drawer.getByRole("log", { name: `Messages with ${name}` });
  await shown(log);
  return { drawer, log, field: drawer.getByLabel("Write a message") };
}

test("what one writes the other sees without doing anything", async ({ visit }) => {
  const ada = await visit({ as: people.ada });
  const ben = await visit({ as: people.ben });
  await ada.open("/test");
  await ben.open("/test");

  const badge = () => unread(ben.page.getByRole("button", { name: "Chat", exact: true }));
  const before = await badge();
  const hers = await converse(ada.page, people.ben.name, { begin: true });
  await hers.field.fill("Is the lease renewed?");
  await hers.field.press("Enter");
  await shown(hers.log.getByText("Is the lease renewed?"));

  // His badge says so; he opens and answers; she sees it, and his badge is gone.
  await expect.poll(badge).toBe(before + 1);
  const his = await converse(ben.page, people.ada.name);
  await shown(his.log.getByText("Is the lease renewed?"));
  await his.field.fill("Tomorrow.");
  await his.field.press("Enter");
  await shown(hers.log.getByText("Tomorrow."));
  await hers.field.fill("Thanks!");
  await hers.field.press("Enter");
  await shown(his.log.getByText("Thanks!"));

  // It is kept.
  await ben.page.reload();
  await settled(ben.page);
  const again = await converse(ben.page, people.ada.name);
  await expect
    .poll(async () => (await again.log.locator("li > p").allTextContents()).slice(-3))
    .toEqual(["Is the lease renewed?", "Tomorrow.", "Thanks!"]);
});

test("what could not be sent stays, and is sent again once", async ({ visit }) => {
  const { page, open, context, allow } = await visit({ as: people.ada });
  await open("/test");
  const { log, field } = await converse(page, people.vera.name, { begin: true });
  allow(/ERR_FAILED/);
  await context.route("**/api/apps/chat/messages", (route) => route.abort());
  await field.fill("Are you there?");
  await field.press("Enter");
  await shown(log.getByText("Not sent."));
  await context.unroute("**/api/apps/chat/messages");
  await log.getByRole("button", { name: "Try again" }).click();
  await expect.poll(() => log.getByText("Not sent.").count()).toBe(0);
  await expect.poll(() => log.getByText("Are you there?").count()).toBe(1);

  // Typed but not sent: a reload keeps it.
  await field.fill("I wanted to ask");
  await page.reload();
  await settled(page);
  const { field: after } = await converse(page, people.vera.name);
  expect(await after.inputValue()).toBe("I wanted to ask");
});
