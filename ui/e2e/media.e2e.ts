/** Uploaded pictures: who may see a record that holds one sees it, no one else does, and once the record is gone no one at all. */
import type { Page } from "playwright-core";
import { expect } from "vitest";
import { type Caller, caller } from "./api";
import { people } from "./server";
import { at, shown, test } from "./stage";

// Calls beside the browser's know no other names of this machine.
const origin = at(undefined);

/** Uploads a picture and returns its address. */
async function upload({ call }: Caller, page: Page): Promise<string> {
  // Any picture will do, so a screenshot of part of the page.
  const picture = await page.screenshot({ clip: { x: 0, y: 0, width: 160, height: 48 } });
  const form = new FormData();
  form.append("file", new Blob([new Uint8Array(picture)], { type: "image/png" }), "van.png");
  return (await call<{ url: string }>("POST", "/api/files", form)).url;
}

/** Returns the status with which the browser of a page gets an address. */
const status = async ({ request }: Page, address: string) => (await request.get(address)).status();

const isDrawn = (page: Page, address: string) =>
  page
    .locator(`img[src="${address}"]`)
    .first()
    .evaluate((image: HTMLImageElement) => image.complete && image.naturalWidth === 160);

test("the picture of a record is shown to those who may see the record, also on paper, and to no one else", async ({ visit }) => {
  const ada = await visit({ origin, as: people.ada });
  await ada.open("/dashboard");
  const owner = await caller(origin, people.ada.email);
  const avatar = await upload(owner, ada.page);
  const { id } = await owner.call<{ id: string }>("POST", "/api/customers", { name: "Wanda Quill", avatar });
  const ben = await visit({ origin, as: people.ben });
  for (const { page, open } of [ada, ben]) {
    await open(`/customers/${id}`);
    await expect.poll(() => isDrawn(page, avatar)).toBe(true);
  }
  await ada.page.emulateMedia({ media: "print" });
  await shown(ada.page.getByRole("dialog", { name: "Wanda Quill" }).locator(`img[src="${avatar}"]`));

  const guest = await visit({ origin });
  const gus = await visit({ origin, as: people.gus });
  for (const { page } of [guest, gus]) expect(await status(page, avatar)).toBe(404);
  expect(await status(ben.page, avatar)).toBe(200);
  for (const { open } of [ada, ben]) await open("/dashboard");
  await owner.call("DELETE", `/api/customers/${id}`);
  await owner.call("DELETE", `/api/bin/${id}`);
  expect(await status(ben.page, avatar)).toBe(404);
});

test("of two companies at one address, the browser sees the pictures of the one that it is signed in to", async ({ visit }) => {
  const { page, open } = await visit({ origin, as: people.ada });
  await open("/dashboard");
  const pictures = [];
  for (const { email } of [people.ada, people.gus]) {
    const member = await caller(origin, email);
    const picture = await upload(member, page);
    await member.call("POST", "/api/customers", { name: "Pictured", avatar: picture });
    pictures.push(picture);
  }
  const [ours = "", theirs = ""] = pictures;
  expect([await status(page, ours), await status(page, theirs)]).toEqual([200, 404]);
  expect((await page.request.post("/api/auth/sign-out", { data: {} })).status()).toBe(204);
  expect([await status(page, ours), await status(page, theirs)]).toEqual([404, 404]);
});

test("the picture of a person who is deleted for good is gone", async ({ visit }) => {
  const { page, open } = await visit({ origin, as: people.ada });
  await open("/dashboard");
  const owner = await caller(origin, people.ada.email);
  const avatar = await upload(owner, page);
  const { id } = await owner.call<{ id: string }>("POST", "/api/customers", { name: "Xenia Quill", avatar });
  expect(await status(page, avatar)).toBe(200);
  await owner.call("POST", `/api/customers/${id}/erasure`, { name: "Xenia Quill" });
  await expect.poll(() => status(page, avatar)).toBe(404);
});
