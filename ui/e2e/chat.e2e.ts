import { text } from "node:stream/consumers";
import type { Locator, Page } from "playwright-core";
import { expect } from "vitest";
import { caller } from "./api";
import { people } from "./server";
import { at, gone, look, place, type Stage, settled, shown, sizes, test, unread } from "./stage";

/** Opens the conversation with a colleague; `begin` starts the first one. */
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

test("a new message appears for the other member at once and after a reload", async ({ visit }) => {
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

  // His badge counts it; he opens it and answers; she sees the answer, and his badge is gone.
  await expect.poll(badge).toBe(before + 1);
  const his = await converse(ben.page, people.ada.name);
  await shown(his.log.getByText("Is the lease renewed?"));
  await his.field.fill("Tomorrow.");
  await his.field.press("Enter");
  await shown(hers.log.getByText("Tomorrow."));
  await hers.field.fill("Thanks!");
  await hers.field.press("Enter");
  await shown(his.log.getByText("Thanks!"));

  // It survives a reload.
  await ben.page.reload();
  await settled(ben.page);
  const again = await converse(ben.page, people.ada.name);
  await expect
    .poll(async () => (await again.log.locator("li > p").allTextContents()).slice(-3))
    .toEqual(["Is the lease renewed?", "Tomorrow.", "Thanks!"]);
});

test("keeps a failed message, resends it once, and keeps typed text after a reload", async ({ visit }) => {
  const { page, open, context, allow } = await visit({ as: people.ada });
  await open("/test");
  const { log, field } = await converse(page, people.vera.name, { begin: true });
  allow(/ERR_FAILED/);
  await context.route("**/api/apps/chat/messages", (route) => route.abort());
  await field.fill("Are you there?");
  await field.press("Enter");
  await shown(log.getByText("Not sent yet. It’s sent as soon as possible."));
  await context.unroute("**/api/apps/chat/messages");
  await log.getByRole("button", { name: "Try again" }).click();
  await expect.poll(() => log.getByText("Not sent yet. It’s sent as soon as possible.").count()).toBe(0);
  await expect.poll(() => log.getByText("Are you there?").count()).toBe(1);

  // Text that was typed but not sent survives a reload.
  await field.fill("I wanted to ask");
  await page.reload();
  await settled(page);
  const { field: after } = await converse(page, people.vera.name);
  await expect.poll(() => after.inputValue()).toBe("I wanted to ask");
});

/** Opens the page of a conversation with a colleague, started if there is none. */
async function talk(page: Page, name: string) {
  await page.getByRole("button", { name: "New", exact: true }).click();
  await page.getByRole("menuitem", { name: "New conversation" }).click();
  await page.getByRole("dialog").getByRole("button", { name }).click();
  const log = page.getByRole("log", { name: `Messages with ${name}` });
  await shown(log);
  return { log, field: page.getByLabel("Write a message"), row: (text: string) => log.locator("[data-message]").filter({ hasText: text }) };
}

/** Chooses a command in the menu of a message. */
async function act(page: Page, row: Locator, what: string) {
  const tool = row.getByRole("button", { name: "Message actions" });
  // A new message may still move it away from the pointer.
  await expect
    .poll(async () => {
      await row.hover();
      return tool.isVisible();
    })
    .toBe(true);
  await tool.click();
  await page.getByRole("menuitem", { name: what }).click();
}

/** Opens two browsers with the conversation of two colleagues. */
async function bothTalk(visit: Stage["visit"]) {
  const ada = await visit({ as: people.ada });
  const ben = await visit({ as: people.ben });
  await ada.open("/chat");
  await ben.open("/chat");
  return { ada, ben, hers: await talk(ada.page, people.ben.name), his: await talk(ben.page, people.ada.name) };
}

test("a colleague sees edits, deletions, reactions, attachments, mentions and references", async ({ visit }) => {
  const { ada, ben, hers, his } = await bothTalk(visit);

  // He sees her message, and she sees that he has read it.
  await hers.field.fill("The van comes at nine: https://example.com/van");
  await hers.field.press("Enter");
  await shown(his.row("The van comes at nine").getByRole("link", { name: "https://example.com/van" }));
  await shown(hers.row("The van comes at nine").getByText("Read", { exact: true }));

  // Arrow up edits the member's own last message.
  await hers.field.press("ArrowUp");
  const editing = ada.page.getByLabel("Edit message");
  await expect.poll(() => editing.inputValue()).toContain("at nine");
  await editing.fill("The van comes at ten.");
  await editing.press("Enter");
  await shown(his.row("The van comes at ten.").getByText("edited"));

  // He reacts with the keyboard; she adds the same reaction by a press.
  await his.row("The van comes at ten.").focus();
  await ben.page.keyboard.press("Tab");
  await ben.page.keyboard.press("Enter");
  await shown(ben.page.getByRole("toolbar", { name: "Emoji" }));
  await ben.page.keyboard.press("ArrowRight");
  await ben.page.keyboard.press("Enter");
  const heart = hers.row("The van comes at ten.").getByRole("button", { name: /^Heart:/ });
  await heart.click();
  await shown(his.row("The van comes at ten.").getByRole("button", { name: "Heart: Ada Moreno and you" }));

  // A removed message leaves a placeholder.
  await hers.field.fill("Wrong window, sorry");
  await hers.field.press("Enter");
  await shown(his.row("Wrong window, sorry"));
  await act(ada.page, hers.row("Wrong window, sorry"), "Delete message");
  await ada.page.getByRole("alertdialog").getByRole("button", { name: "Delete message" }).click();
  await shown(his.log.getByText("This message was deleted."));
  await gone(his.row("Wrong window, sorry"));
  expect(await ada.page.evaluate(() => document.activeElement?.tagName)).toBe("TEXTAREA");

  // A file and a picture, a colleague and a record.
  const picture = {
    name: "van.png",
    mimeType: "image/png",
    buffer: await ada.page.screenshot({ clip: { x: 0, y: 0, width: 300, height: 200 } }),
  };
  await ada.page
    .locator("form input[type=file]")
    .setInputFiles([picture, { name: "list.txt", mimeType: "text/plain", buffer: Buffer.from("keys, badge") }]);
  await shown(ada.page.getByRole("list", { name: "Attachments" }).getByText("list.txt"));
  await hers.field.pressSequentially("@be");
  await shown(ada.page.getByRole("option", { name: people.ben.name }));
  await look(ada.page, "chat-names", "en", [sizes[0] as (typeof sizes)[number]]);
  await hers.field.press("Enter");
  await hers.field.pressSequentially("see #forecast");
  await shown(ada.page.getByRole("option", { name: /Send the quarterly forecast/ }));
  await hers.field.press("Tab");
  await expect.poll(() => hers.field.inputValue()).toBe("@Ben Okafor see #Send the quarterly forecast ");
  await expect.poll(() => ada.page.getByRole("button", { name: "Send", exact: true }).isEnabled()).toBe(true);
  await hers.field.press("Enter");
  const rich = his.row("@Ben Okafor see");
  await shown(rich.getByRole("link", { name: "Task Send the quarterly forecast" }));
  await shown(rich.getByRole("link", { name: /list\.txt/ }));
  await rich.getByRole("button", { name: "Open van.png" }).click();
  await shown(ben.page.getByRole("dialog", { name: "van.png" }));
  await ben.page.keyboard.press("Escape");
  await look(ben.page, "chat-rich", "en");
  await ben.page.setViewportSize({ width: 1440, height: 900 });

  // He creates a task from it, which links back.
  await act(ben.page, rich, "Create task");
  await ben.page.getByLabel("Task", { exact: true }).fill("Meet the van");
  await ben.page.getByRole("button", { name: "Add task" }).click();
  await shown(ben.page.getByText("“Meet the van” was added to Tasks."));
  const bens = await caller(at(undefined), people.ben.email);
  const { items } = await bens.call<{ items: { title: string; notes?: string }[] }>("GET", "/api/tasks?sort=-updatedAt");
  const back = /\/chat\/\S+\?message=\S+/.exec(items.find(({ title }) => title === "Meet the van")?.notes ?? "")?.[0];
  await ben.open(back ?? "");
  await expect.poll(() => ben.page.evaluate(() => document.activeElement?.textContent)).toContain("@Ben Okafor see");
});

test("shows that a colleague is typing until the message arrives", async ({ visit }) => {
  const { ben, hers, his } = await bothTalk(visit);
  await hers.field.pressSequentially("Now ");
  await shown(ben.page.getByText("Ada Moreno is typing…"));
  await hers.field.press("Enter");
  await shown(his.row("Now"));
  await gone(ben.page.getByText("Ada Moreno is typing…"));
});

test("creates, renames and leaves a group, and finds its messages by search", async ({ visit }) => {
  const ada = await visit({ as: people.ada });
  const ben = await visit({ as: people.ben });
  await ben.open("/chat");
  await ada.open("/chat");
  await ada.page.getByRole("button", { name: "New", exact: true }).click();
  await ada.page.getByRole("menuitem", { name: "New group" }).click();
  await ada.page.getByLabel("Group name").fill("Trade fair");
  for (const { name } of [people.ben, people.vera]) await ada.page.getByRole("checkbox", { name }).check();
  await look(ada.page, "chat-new-group", "en");
  await ada.page.setViewportSize({ width: 1440, height: 900 });
  await ada.page.getByRole("button", { name: "Create group" }).click();
  const field = ada.page.getByLabel("Write a message");
  await field.fill("Who brings the banner?");
  await field.press("Enter");

  const list = ben.page.getByRole("navigation", { name: "Conversations" });
  const entry = list.getByRole("link", { name: "Trade fair" });
  await shown(entry.getByText("Who brings the banner?"));
  await entry.click();
  await shown(ben.page.getByRole("log", { name: "Messages with Trade fair" }).getByText("Who brings the banner?"));
  await shown(ada.page.getByText("Read by Ben Okafor"));

  // The owner renames the group; he sees the change and leaves.
  const info = async (page: Page) => {
    await page.getByRole("button", { name: "Conversation actions" }).click();
    await page.getByRole("menuitem", { name: "Group info" }).click();
    return page.getByRole("dialog", { name: "Group info" });
  };
  const panel = await info(ada.page);
  await panel.getByRole("button", { name: "Rename" }).click();
  await panel.getByLabel("Group name").fill("Spring fair");
  await panel.getByRole("button", { name: "Save" }).click();
  await shown(panel.getByRole("heading", { name: "Spring fair" }));
  await look(ada.page, "chat-group-info", "en");
  await ada.page.setViewportSize({ width: 1440, height: 900 });
  await shown(list.getByRole("link", { name: "Spring fair" }));
  const his = await info(ben.page);
  await his.getByRole("button", { name: "Leave group" }).click();
  await ben.page.getByRole("alertdialog").getByRole("button", { name: "Leave group" }).click();
  await gone(list.getByRole("link", { name: "Spring fair" }));
  await ada.page.keyboard.press("Escape");
  await shown(ada.page.getByRole("log").getByText("Ben Okafor left the group"));

  // Everywhere, in this conversation, and with the global search.
  await ada.open("/chat");
  await ada.page.getByRole("searchbox", { name: "Search conversations and messages" }).fill("banner");
  await ada.page.getByRole("button", { name: /Who brings the banner/ }).click();
  await expect.poll(() => ada.page.evaluate(() => document.activeElement?.textContent)).toContain("Who brings the banner?");
  await ada.open("/dashboard");
  await ada.page.getByRole("button", { name: "Search", exact: true }).click();
  await ada.page.getByPlaceholder("Search...").fill("banner");
  await ada.page.getByRole("option", { name: /Who brings the banner/ }).click();
  await expect.poll(() => ada.page.evaluate(() => document.activeElement?.textContent)).toContain("Who brings the banner?");
  expect(place(ada.page)).toMatch(/^\/chat\/[^?]+$/);
});

test("sends messages written without a connection once it is back, even after a reload", async ({ visit }) => {
  const { page, open, context, allow } = await visit({ as: people.ada });
  allow(/ERR_FAILED|ERR_INTERNET_DISCONNECTED|Failed to load resource/);
  await open("/chat");
  const { log, field } = await talk(page, people.vera.name);
  await context.route("**/api/apps/chat/messages", (route) => route.abort());
  for (const text of ["First", "Second"]) {
    await field.fill(text);
    await field.press("Enter");
  }
  await shown(log.getByText("Not sent yet. It’s sent as soon as possible.").first());
  await page.reload();
  await settled(page);
  await shown(log.getByText("Not sent yet. It’s sent as soon as possible.").first());
  await context.unroute("**/api/apps/chat/messages");
  await page.evaluate(() => dispatchEvent(new Event("online")));
  await expect.poll(() => log.getByText("Not sent yet. It’s sent as soon as possible.").count()).toBe(0);
  await expect.poll(async () => (await log.locator("li > p").allTextContents()).slice(-2)).toEqual(["First", "Second"]);
});

test("sends a dropped file and a pasted picture", async ({ visit }) => {
  const { ada, ben, hers, his } = await bothTalk(visit);
  const attachments = ada.page.getByRole("list", { name: "Attachments" });
  const send = ada.page.getByRole("button", { name: "Send", exact: true });

  // Dragged over the conversation, away again, and dropped.
  const carried = await ada.page.evaluateHandle(() => {
    const carried = new DataTransfer();
    carried.items.add(new File(["keys, badge"], "stock list.txt", { type: "text/plain" }));
    return carried;
  });
  const hint = ada.page.getByText("Drop files here to attach them");
  const drag = (type: string) => hers.log.dispatchEvent(type, { dataTransfer: carried });
  await drag("dragover");
  await shown(hint);
  await drag("dragleave");
  await gone(hint);
  await drag("dragover");
  await shown(hint);
  await look(ada.page, "chat-drop", "en");
  await ada.page.setViewportSize({ width: 1440, height: 900 });
  await drag("drop");
  await gone(hint);
  await shown(attachments.getByText("stock list.txt"));
  await expect.poll(() => hers.field.evaluate((field) => field === document.activeElement)).toBe(true);
  await hers.field.fill("What we have");
  await expect.poll(() => send.isEnabled()).toBe(true);
  await hers.field.press("Enter");
  const dropped = his.row("What we have").getByRole("link", { name: /stock list\.txt/ });
  await shown(dropped);
  const [fetched] = await Promise.all([ben.page.waitForEvent("download"), dropped.click()]);
  expect(await text(await fetched.createReadStream())).toBe("keys, badge");

  // A picture from the clipboard is sent without text, too; copied text stays text.
  await hers.field.evaluate(async (field) => {
    const canvas = new OffscreenCanvas(160, 90);
    const brush = canvas.getContext("2d") as OffscreenCanvasRenderingContext2D;
    brush.fillStyle = "#0f766e";
    brush.fillRect(0, 0, 160, 90);
    const clipboardData = new DataTransfer();
    clipboardData.items.add(new File([await canvas.convertToBlob()], "image.png", { type: "image/png" }));
    field.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
  });
  await shown(attachments.getByText("image.png"));
  await expect.poll(() => send.isEnabled()).toBe(true);
  await hers.field.press("Enter");
  const picture = his.log.getByRole("button", { name: "Open image.png" });
  await shown(picture);
  await expect
    .poll(() =>
      picture.locator("img").evaluate((image) => [(image as HTMLImageElement).naturalWidth, (image as HTMLImageElement).naturalHeight]),
    )
    .toEqual([160, 90]);
  await shown(hers.log.getByRole("button", { name: "Open image.png" }));
  const taken = await hers.field.evaluate((field) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData("text/plain", "a\tb");
    clipboardData.items.add(new File(["x"], "table.png", { type: "image/png" }));
    return !field.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
  });
  expect(taken).toBe(false);
  expect(await attachments.count()).toBe(0);
});
