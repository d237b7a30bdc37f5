import { expect } from "vitest";
import { caller } from "./api";
import { password, people } from "./server";
import { at, gone, look, settled, shown, test } from "./stage";

test("an owner invites people, changes a role, and suspends a member, who is signed out elsewhere", async ({
  visit,
  server: { origin },
}) => {
  const ada = await visit({ origin, as: people.ada });
  const ben = await visit({ origin, as: people.ben });
  ben.allow(/401|preloaded using link preload/);
  await ben.open("/tasks");
  await ada.open("/team/list");
  const { page } = ada;

  await page.getByRole("button", { name: "Invite people" }).click();
  const dialog = page.getByRole("dialog", { name: "Invite people" });
  const addresses = dialog.getByRole("textbox", { name: /Email addresses/ });
  await expect.poll(() => addresses.evaluate((field) => field === document.activeElement)).toBe(true);
  await addresses.fill("Ida Brandt <ida@new.example>; li@new.example, nobody ");
  await dialog.getByRole("radio", { name: /Viewer/ }).check();
  await look(page, "team-invite", "en");
  await page.setViewportSize({ width: 1440, height: 900 });
  // There is no mail server, so the links are passed on by hand.
  await shown(dialog.getByText(/You’ll get links to copy/));
  await dialog.getByRole("button", { name: "Create 2 invitations" }).click();
  const results = page.getByRole("dialog", { name: "Invitations" });
  await shown(results.getByText("2 people invited."));
  await shown(results.getByRole("button", { name: "Copy all links" }));
  await look(page, "team-invited", "en");
  await page.setViewportSize({ width: 1440, height: 900 });
  const first = await results.getByLabel("Invitation link for ida@new.example").inputValue();
  await results.getByRole("button", { name: "Done" }).click();
  await shown(page.getByRole("row", { name: /Ida Brandt.*Viewer.*Invited/ }));

  await page.getByRole("link", { name: "Ida Brandt", exact: true }).click();
  const invited = page.getByRole("dialog", { name: "Ida Brandt" });
  await invited.getByRole("button", { name: "Get invitation link" }).click();
  const another = page.getByRole("dialog", { name: "Invitation link" });
  await look(page, "team-invitation-link", "en");
  await page.setViewportSize({ width: 1440, height: 900 });
  const second = await another.getByLabel("Invitation link for ida@new.example").inputValue();
  expect(second).not.toBe(first);
  await another.getByRole("button", { name: "Done" }).click();
  for (const link of [first, second]) {
    const ida = await visit({ origin });
    await ida.open(link);
    await shown(ida.page.getByRole("heading", { name: "Welcome to Acme Ltd" }));
    await expect.poll(() => ida.page.getByLabel("Your name").inputValue()).toBe("Ida Brandt");
  }

  await invited.getByRole("button", { name: "Withdraw invitation" }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Withdraw invitation" }).click();
  await gone(invited);
  await gone(page.getByRole("row", { name: /Ida.*Invited/ }));

  await page.getByRole("link", { name: people.ben.name }).click();
  const card = page.getByRole("dialog", { name: people.ben.name });
  await card.getByRole("button", { name: /Role/ }).click();
  await page.getByRole("option", { name: "Viewer" }).click();
  await shown(card.getByText("Can see all records and use the chat, but not change records."));
  await shown(card.getByText(/Chrom|Safari/));
  await look(page, "team-card", "en");
  await page.setViewportSize({ width: 1440, height: 900 });
  await card.getByRole("button", { name: "Suspend" }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Suspend" }).click();
  await ben.page.waitForURL("**/sign-in**");

  await card.getByRole("link", { name: "View audit log" }).click();
  await page.waitForURL("**/settings/audit?member=**");
  await settled(page);
  await shown(page.getByText(`Ada Moreno suspended ${people.ben.name}`));
  await shown(page.getByText("Member → Viewer"));
  await look(page, "settings-audit", "en");
});

test("an owner transfers the company, and the new owner closes it", async ({ visit, server: { origin, url } }) => {
  const ada = await visit({ origin, as: people.ada });
  const ben = await visit({ origin, as: people.ben });
  const vera = await visit({ origin, as: people.vera });
  for (const one of [ada, ben, vera]) one.allow(/40[01]|preloaded using link preload/);
  await vera.open("/tasks");
  await ada.open("/settings/company");
  await look(ada.page, "settings-company-owner", "en");
  await ada.page.setViewportSize({ width: 1440, height: 900 });
  await ada.page.getByRole("button", { name: "Transfer…" }).click();
  const hand = ada.page.getByRole("dialog", { name: "Transfer ownership" });
  // The receiver is chosen before the password is asked for.
  await settled(ada.page);
  expect(await hand.getByLabel(/^Your password/).evaluate((field) => field === document.activeElement)).toBe(false);
  await hand.getByRole("combobox", { name: "New owner" }).fill("ben");
  const heir = ada.page.getByRole("option", { name: new RegExp(people.ben.name) });
  await shown(heir);
  // The page behind the dialog moves, as when a notification arrives or a banner leaves; the list stays open.
  await ada.page.evaluate(() => {
    scrollBy(0, scrollY > 0 ? -40 : 40);
    return new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)));
  });
  await heir.click();
  await hand.getByLabel(/^Your password/).fill("not the password");
  await hand.getByRole("button", { name: "Transfer ownership" }).click();
  await expect.poll(() => hand.getByLabel(/^Your password/).getAttribute("aria-invalid")).toBe("true");
  await hand.getByLabel(/^Your password/).fill(password);
  await look(ada.page, "hand-over", "en");
  await ada.page.setViewportSize({ width: 1440, height: 900 });
  await hand.getByRole("button", { name: "Transfer ownership" }).click();
  await gone(hand);
  await gone(ada.page.getByText("Danger zone"));

  await ben.open("/settings/company");
  await ben.page.getByRole("button", { name: "Close…" }).click();
  const close = ben.page.getByRole("dialog", { name: "Close Acme Ltd?" });
  await close.getByLabel(/Short name/).fill("acme");
  await close.getByLabel(/^Your password/).fill(password);
  await look(ben.page, "close-company", "en");
  await close.getByRole("button", { name: "Close the company" }).click();
  await ben.page.waitForURL(/sign-(out|in)/);
  await vera.page.waitForURL("**/sign-in**");
  await expect(caller(url, people.ada.email)).rejects.toThrow("400");
});

test("company settings, audit log and team pass the screen checks in Spanish", async ({ visit, onTestFinished }) => {
  const ada = await caller(at(undefined), people.ada.email);
  onTestFinished(async () => {
    await ada.call("PATCH", "/api/common/user", { locale: null });
  });
  await ada.call("PATCH", "/api/common/user", { locale: "es" });
  const { page, open, allow } = await visit({ as: people.ada, locale: "es" });
  allow(/preloaded using link preload/);
  for (const screen of ["settings/company", "settings/audit", "team/list"]) {
    await open(`/${screen}`);
    await look(page, screen, "es");
  }
});

test("an uploaded logo appears in the header and on the sign-in page", async ({ visit, server: { origin } }) => {
  const { page, open, allow } = await visit({ origin, as: people.ada });
  allow(/preloaded using link preload/);
  await open("/settings/company");
  const field = page.getByRole("group", { name: "Logo for light backgrounds" });
  const file = field.locator("input[type=file]");
  await file.setInputFiles({
    name: "logo.svg",
    mimeType: "image/svg+xml",
    buffer: Buffer.from("<svg xmlns='http://www.w3.org/2000/svg'/>"),
  });
  await shown(field.getByRole("alert"));
  // Any picture will do, so a screenshot of part of the page.
  const buffer = await page.screenshot({ clip: { x: 0, y: 0, width: 160, height: 48 } });
  await file.setInputFiles({ name: "logo.png", mimeType: "image/png", buffer });
  const chosen = field.getByRole("img", { name: "Acme Ltd logo" });
  await shown(chosen);
  expect(await field.getByRole("alert").count()).toBe(0);
  const form = page.locator("form").filter({ has: field });
  await form.getByRole("button", { name: "Save changes" }).click();
  await shown(page.getByText("Saved", { exact: true }));
  const address = await chosen.getAttribute("src");
  const drawn = (where: typeof page) =>
    where
      .locator(`img[src="${address}"]`)
      .first()
      .evaluate((image: HTMLImageElement) => image.complete && image.naturalWidth === 160);
  await expect.poll(() => page.getByRole("banner").locator(`img[src="${address}"]`).count()).toBe(1);
  await look(page, "settings-company-logo", "en");

  const guest = await visit({ origin });
  await guest.open("/sign-in");
  await shown(guest.page.getByRole("img", { name: "Acme Ltd" }).first());
  await expect.poll(() => drawn(guest.page)).toBe(true);
  await look(guest.page, "sign-in-logo", "en");

  await page.setViewportSize({ width: 1440, height: 900 });
  await field.getByRole("button", { name: "Remove" }).click();
  await form.getByRole("button", { name: "Save changes" }).click();
  await expect.poll(() => page.getByRole("banner").locator(`img[src="${address}"]`).count()).toBe(0);
});
