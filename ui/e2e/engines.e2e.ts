import { expect } from "vitest";
import { caller } from "./api";
import { fill } from "./data";
import { cuttableLine, firefox, type Tab, webkit } from "./engines";
import { addressOf, memberPaths } from "./paths";
import { createPdf } from "./pdf";
import { password, people } from "./server";
import { follow, test, thorough } from "./stage";

/** Whether the page shows a screen and nothing is loading. */
const ready = `!document.querySelector("#splash, #loading-bar, [aria-busy=true]") && Boolean(document.querySelector("h1, h2"))`;
const settled = (tab: Tab) => expect.poll(() => tab.value(ready)).toBe(true);
const place = (tab: Tab) => tab.value<string>("location.pathname");
const text = (tab: Tab) => tab.value<string>("document.body.innerText");

/** Paths to reload: WebKit once never came back from a reload. */
const reloaded = ["/dashboard", "/chat", "/docs/changelog", "/customers", "/tasks"];

test.for([
  ["Firefox", firefox],
  ["WebKit", webkit],
] as const)(
  "in %s a person signs in, opens and reloads every screen, chats, and comes back after a time offline",
  { timeout: 300_000 },
  // Members are notified of a sign-in from another browser; on a separate server, this disturbs no other test.
  async ([name, start], { server: { url: server } }) => {
    const samples = await fill(server);
    const ben = await caller(server, people.ben.email);
    const { id: adaId } = await caller(server, people.ada.email);
    const chat = await ben.call<{ id: string }>("POST", "/api/apps/chat/chat", { contactId: adaId });
    const benSays = (value: string) => ben.call("POST", "/api/apps/chat/messages", { chatId: chat.id, value });
    const line = await cuttableLine(Number(new URL(server).port));
    const tab = await start();
    try {
      await tab.open(`${line.url}/sign-in`);
      await settled(tab);
      await tab.type("[name=email]", people.ada.email);
      await tab.type("[name=password]", password);
      await tab.click("button[type=submit]");
      await expect.poll(() => place(tab)).toBe("/dashboard");
      await settled(tab);

      for (const path of memberPaths) {
        const address = addressOf(path, samples);
        await (thorough ? tab.open(line.url + address) : tab.value(`(${follow(address)})`));
        await settled(tab);
        // Settings open with their first section.
        expect((await place(tab)).startsWith(address), `${path} in ${name}: ${await place(tab)}`).toBe(true);
      }
      for (const address of reloaded) {
        await tab.open(line.url + address);
        await settled(tab);
        await tab.reload();
        await settled(tab);
        expect(await place(tab)).toBe(address);
      }
      await tab.back();
      await expect.poll(() => place(tab)).toBe("/customers");
      await settled(tab);

      await tab.open(`${line.url}/chat/${chat.id}`);
      await settled(tab);
      await benSays(`Are you there, ${name}?`);
      await expect.poll(() => text(tab)).toContain(`Are you there, ${name}?`);
      await tab.type("main form textarea", `Here, by ${name}.`);
      await expect.poll(() => tab.value('document.querySelector("main form textarea").value')).toBe(`Here, by ${name}.`);
      await tab.click("main form [type=submit]");
      const last = async () =>
        (await ben.call<{ messages: { value: string }[] }>("GET", `/api/apps/chat/chat?id=${chat.id}`)).messages.at(-1)?.value;
      await expect.poll(last).toBe(`Here, by ${name}.`);

      line.cut();
      await expect.poll(() => text(tab)).toContain("Connection lost");
      await benSays(`Written meanwhile, ${name}.`);
      line.mend();
      await expect.poll(() => text(tab)).toContain(`Written meanwhile, ${name}.`);
      await expect.poll(() => text(tab)).not.toContain("Connection lost");
      await tab.reload();
      await settled(tab);
      expect(await place(tab)).toBe(`/chat/${chat.id}`);

      // A PDF opens, which engines differ in: a sandboxed frame, its policy, and a worker from a blob.
      const form = new FormData();
      form.set("file", new File([createPdf({ pages: [["Offer"], ["Signed"]] })], "offer.pdf", { type: "application/pdf" }));
      const { url } = await ben.call<{ url: string }>("POST", "/api/files", form);
      await ben.call("POST", "/api/apps/chat/messages", { chatId: chat.id, value: "The offer", attachments: [url] });
      await tab.click("[role=log] button[aria-haspopup=dialog]");
      await expect.poll(() => text(tab)).toContain("Page 1 of 2");
      await tab.click(`[aria-label="Zoom in"]`);
      await expect.poll(() => text(tab)).toContain("Page 1 of 2 · 125%");
      await tab.click(`[aria-label="offer.pdf"] [aria-label="Close"]`);
      await expect.poll(() => text(tab)).not.toContain("Page 1 of 2");
    } finally {
      await tab.close();
      line.close();
    }
  },
);
