/** Uploaded pictures: who may see a record that holds one sees it, no one else does, and once the record is gone no one at all. */
import type { Page } from "playwright-core";
import { expect } from "vitest";
import { type Caller, caller } from "./api";
import { people } from "./server";
import { at, shown, test } from "./stage";

/** Uploads a picture and returns its address. */
async function upload({ call }: Caller, page: Page): Promise<string> {
  // Any picture will do, so a screenshot of part of the page.
  const picture = await page.screenshot({ clip: { x: 0, y: 0, width: 160, height: 48 } });
  const form = new FormData();
  form.append("file", new Blob([new Uint8Array(picture)], { type: "image/png" }), "van.png");
  return (await call<{ url: string }>("POST", "/api/files", form)).url;
}

/** Returns the status with which the browser of a page gets an address. */
const status = (page: Page, address: string) => page.evaluate(async (url) => (await fetch(url)).status, address);

const isDrawn = (page: Page, address: string) =>
  page
    .locator(`img[src="${address}"]`)
    .first()
    .evaluate((image: HTMLImageElement) => image.complete && image.naturalWidth === 160);

test("a picture in a page is shown to those who may see the page, also on paper, and to no one else", async ({ visit }) => {
  const ada = await visit({ as: people.ada });
  await ada.open("/dashboard");
  const owner = await caller(at(undefined), people.ada.email);
  const picture = await upload(owner, ada.page);
  const body = `<p>The van</p><p><img src="${picture}" alt="Van"></p>`;
  const { id } = await owner.call<{ id: string }>("POST", "/api/pages", { title: "Fleet", body, status: "published" });
  await ada.open(`/pages/${id}`);
  await expect.poll(() => isDrawn(ada.page, picture)).toBe(true);
  await ada.page.emulateMedia({ media: "print" });
  await shown(ada.page.locator(`img[src="${picture}"]`).first());

  const ben = await visit({ as: people.ben });
  await ben.open(`/pages/${id}`);
  await expect.poll(() => isDrawn(ben.page, picture)).toBe(true);
  const guest = await visit();
  const gus = await visit({ host: "globex", as: people.gus });
  for (const { page, open, allow } of [guest, gus, ben, ada]) {
    allow(/404/);
    if (page !== ben.page && page !== ada.page) await open("/sign-in");
  }
  expect(await status(guest.page, picture)).toBe(404);
  expect(await status(gus.page, picture)).toBe(404);

  await owner.call("PATCH", `/api/pages/${id}`, { visibility: { to: "me" } });
  expect(await status(ben.page, picture)).toBe(404);
  expect(await status(ada.page, picture)).toBe(200);
  await owner.call("DELETE", `/api/pages/${id}`);
  await owner.call("DELETE", `/api/bin/${id}`);
  expect(await status(ada.page, picture)).toBe(404);
});

test("of two companies at one address, the browser sees the pictures of the one that it is signed in to", async ({ visit }) => {
  const { page, open, allow } = await visit({ origin: at(undefined), as: people.ada });
  allow(/404/);
  await open("/dashboard");
  const pictures = [];
  for (const { email } of [people.ada, people.gus]) {
    const member = await caller(at(undefined), email);
    const picture = await upload(member, page);
    await member.call("POST", "/api/customers", { name: "Pictured", avatar: picture });
    pictures.push(picture);
  }
  const [ours = "", theirs = ""] = pictures;
  expect([await status(page, ours), await status(page, theirs)]).toEqual([200, 404]);
  const signedOut = await page.evaluate(async () => (await fetch("/api/auth/sign-out", { method: "POST" })).status);
  expect(signedOut).toBe(204);
  expect([await status(page, ours), await status(page, theirs)]).toEqual([404, 404]);
});

test("the picture of a person who is deleted for good is gone", async ({ visit }) => {
  const { page, open, allow } = await visit({ as: people.ada });
  allow(/404/);
  await open("/dashboard");
  const owner = await caller(at(undefined), people.ada.email);
  const avatar = await upload(owner, page);
  const { id } = await owner.call<{ id: string }>("POST", "/api/customers", { name: "Xenia Quill", avatar });
  expect(await status(page, avatar)).toBe(200);
  await owner.call("POST", `/api/customers/${id}/erasure`, {});
  await expect.poll(() => status(page, avatar)).toBe(404);
});
