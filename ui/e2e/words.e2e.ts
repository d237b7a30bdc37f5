import type { Page } from "playwright-core";
import { describe, expect, vi } from "vitest";
import { loading } from "@/lib/loading";
import { caller } from "./api";
import { people } from "./server";
import { at, shown, test } from "./stage";

/** Every quoted text of the specification, and where it belongs. */
const texts = {
  Project: "navigation, item dashboards.project",
  Analytics: "navigation, item dashboards.analytics",
  modern: "the configured layout",
  "Toggle Fullscreen": "tooltip of the header's button",
  "Search...": "placeholder of the search",
  "No results found!": "search without a hit",
  "No shortcuts": "empty shortcuts panel",
  "When you have shortcuts, they will appear here.": "empty shortcuts panel",
  Messages: "title of the messages panel",
  "No messages": "empty messages panel",
  "When you have messages, they will appear here.": "empty messages panel",
  Notifications: "title of the notifications panel",
  "No notifications": "empty notifications panel",
  "When you have notifications, they will appear here.": "empty notifications panel",
  "MMM dd, h:mm a": "time of a message or notification",
  "Mark as read": "button of an unread item",
  "Mark as unread": "button of a read item",
  Remove: "button of an item",
  "Signed in as": "user menu, with the address",
  "Team Chat": "head of the quick chat",
  "Select a conversation": "quick chat without a conversation",
  me: "own chat messages, whose contactId it is mapped to: the profile's id",
  "Could not found chat with id of {id}!": "answer to a chat that is not there",
  "NOT FOUND": "answer 404 to an unmatched request",
  "Progress value must be between 0 and 100!": "console, progress out of range",
  "The request URL must be provided!": "console, loading status without a URL",
  "Fullscreen is not available in this browser.": "console, no fullscreen",
  "Entering fullscreen mode failed.": "console, fullscreen refused",
  "Unable to load translation and all the fallback languages": "console, no language can be loaded",
} as const;

type Text = keyof typeof texts;
const met = new Set<Text>();
/** Takes a text from the table and records that it was checked. */
const the = <T extends Text>(text: T): T => {
  met.add(text);
  return text;
};

interface Item {
  id: string;
  title: string;
  children?: Item[];
}

const header = ({ page }: { page: Page }, name: string) => page.getByRole("button", { name, exact: true });

describe("the specification's words", () => {
  test("in the header and the navigation", async ({ visit }) => {
    const ada = await visit({ as: people.ada });
    await ada.open("/test");
    const { page } = ada;
    const api = await caller(at(undefined), people.ada.email);
    const navigation = await api.call<{ default: Item[] }>("GET", "/api/global/navigation");
    const all = navigation.default.flatMap((item) => [item, ...(item.children ?? [])]);
    const words = await (await fetch(`${at(undefined)}/i18n/en.json`)).json();
    const titleOf = (id: string) =>
      all
        .find((item) => item.id === id)
        ?.title.split(".")
        .reduce((found, key) => found[key], words);
    expect(titleOf("dashboards.project")).toBe(the("Project"));
    expect(titleOf("dashboards.analytics")).toBe(the("Analytics"));

    const fullscreen = header(ada, the("Toggle Fullscreen"));
    await fullscreen.hover();
    await shown(page.getByRole("tooltip", { name: "Toggle Fullscreen" }).or(page.getByText("Toggle Fullscreen")).first());

    await header(ada, "Search").click();
    await page.getByPlaceholder(the("Search..."), { exact: true }).fill("zzqqxx");
    await shown(page.getByText(the("No results found!"), { exact: true }));
    await page.keyboard.press("Escape");
    await page.keyboard.press("Escape");

    await header(ada, "User menu").click();
    await shown(page.getByText(the("Signed in as"), { exact: true }));
    await shown(page.getByText(people.ada.email, { exact: true }));
  });

  test("in the panels", async ({ visit }) => {
    const gus = await visit({ host: "globex", as: people.gus });
    const { page } = gus;
    await gus.open("/test");

    await header(gus, "Shortcuts").click();
    const shortcuts = page.getByRole("dialog", { name: "Shortcuts" });
    await shown(shortcuts.getByText(the("No shortcuts"), { exact: true }));
    await shown(shortcuts.getByText(the("When you have shortcuts, they will appear here."), { exact: true }));
    await page.keyboard.press("Escape");

    const panels = [
      ["Messages", "message", "No messages", "When you have messages, they will appear here."],
      ["Notifications", "notification", "No notifications", "When you have notifications, they will appear here."],
    ] as const;
    const api = await caller(at(undefined), people.gus.email);
    for (const [title, field, none, text] of panels) {
      await header(gus, title).click();
      const panel = page.getByRole("dialog", { name: the(title), exact: true });
      await shown(panel.getByRole("heading", { name: title, exact: true }));
      await shown(panel.getByText(the(none), { exact: true }));
      await shown(panel.getByText(the(text), { exact: true }));

      await api.call("POST", `/api/common/${title.toLowerCase()}`, { [field]: { title: "A word", time: "2026-03-05T14:07:00Z" } });
      await shown(panel.getByText("A word"));
      the("MMM dd, h:mm a");
      expect(await panel.locator("time").textContent()).toMatch(/^[A-Z][a-z]{2} \d{2}, \d{1,2}:\d{2} [AP]M$/);
      await panel.getByRole("listitem").hover();
      await panel.getByRole("button", { name: the("Mark as read"), exact: true }).click();
      await panel.getByRole("button", { name: the("Mark as unread"), exact: true }).click();
      await panel.getByRole("button", { name: the("Remove"), exact: true }).click();
      await shown(panel.getByText(none, { exact: true }));
      await page.keyboard.press("Escape");
    }
  });

  test("in the chat", async ({ visit }) => {
    const ada = await visit({ as: people.ada, width: 1000 });
    const { page } = ada;
    await ada.open("/test");
    await header(ada, "Chat").click();
    const drawer = page.getByRole("dialog", { name: the("Team Chat"), exact: true });
    await shown(drawer.getByRole("heading", { name: "Team Chat", exact: true }));
    await shown(drawer.getByText(the("Select a conversation"), { exact: true }));

    const api = await caller(at(undefined), people.ada.email);
    const missing = "01a08182-10e0-7245-8153-b2969c000000";
    await expect(api.call("GET", `/api/apps/chat/chat?id=${missing}`)).rejects.toThrow(
      the("Could not found chat with id of {id}!").replace("{id}", missing),
    );
    const ben = await caller(at(undefined), people.ben.email);
    const chat = await api.call<{ id: string }>("POST", "/api/apps/chat/chat", { contactId: ben.id });
    await api.call("POST", "/api/apps/chat/messages", { chatId: chat.id, value: "Good morning" });
    const { messages } = await api.call<{ messages: { contactId: string; isMine: boolean; value: string }[] }>(
      "GET",
      `/api/apps/chat/chat?id=${chat.id}`,
    );
    const profile = await api.call<{ id: string }>("GET", "/api/apps/chat/profile");
    the("me");
    expect(messages.at(-1)).toMatchObject({ contactId: profile.id, isMine: true, value: "Good morning" });
  });

  test("in the server's answers", async () => {
    const version = await (await fetch(`${at(undefined)}/api/global/version`)).json();
    expect(version.company.layout).toBe(the("modern"));
    // The sample backend's message; this server returns the status's own text and a code.
    const answer = await fetch(`${at(undefined)}/api/nothing`);
    expect(answer.statusText.toUpperCase()).toBe(the("NOT FOUND"));
    expect(answer.status).toBe(404);
    expect((await answer.json()).error.code).toBe("not_found");
  });

  test("on the console", async ({ visit }) => {
    const said = vi.spyOn(console, "error").mockImplementation(() => undefined);
    loading.setProgress(101);
    loading.setStatus(true, "");
    expect(said.mock.calls).toEqual([[the("Progress value must be between 0 and 100!")], [the("The request URL must be provided!")]]);
    said.mockRestore();

    const ada = await visit({ as: people.ada });
    const heard: string[] = [];
    ada.page.on("console", (message) => heard.push(message.text()));
    ada.allow(/^(Fullscreen is not available in this browser\.|Entering fullscreen mode failed\.)/);
    await ada.open("/test");
    await ada.page.evaluate(() => {
      Object.defineProperty(document, "fullscreenEnabled", { value: false, configurable: true });
    });
    await header(ada, "Toggle Fullscreen").click();
    await expect.poll(() => heard).toContain(the("Fullscreen is not available in this browser."));
    await ada.page.evaluate(() => {
      Object.defineProperty(document, "fullscreenEnabled", { value: true, configurable: true });
      document.documentElement.requestFullscreen = () => Promise.reject(new TypeError("refused"));
    });
    await header(ada, "Toggle Fullscreen").click();
    await expect.poll(() => heard).toContain(the("Entering fullscreen mode failed."));

    const guest = await visit();
    const cried: string[] = [];
    guest.page.on("console", (message) => cried.push(message.text()));
    guest.allow(/503|Unable to load translation/);
    const asked: string[] = [];
    await guest.page.route("**/i18n/*.json", (route) => {
      asked.push(new URL(route.request().url()).pathname);
      return route.fulfill({ status: 503 });
    });
    await guest.page.goto("/sign-in");
    await expect.poll(() => cried.join("\n")).toContain(the("Unable to load translation and all the fallback languages"));
    // The first attempt and two retries.
    expect(asked.filter((path) => path === "/i18n/en.json").length).toBeGreaterThanOrEqual(3);
  });

  test("are all checked", () => {
    expect(Object.keys(texts).filter((text) => !met.has(text as Text))).toEqual([]);
  });
});
