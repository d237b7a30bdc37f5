import { describe, expect } from "vitest";
import { contents, topics } from "@/features/help/contents";
import { caller } from "./api";
import { people } from "./server";
import { at, look, place, settled, shown, test } from "./stage";

const first = "/docs/guides/getting-started/introduction";

describe.each([
  {
    language: "en",
    ask: "How can we help?",
    search: "Search the guides",
    word: "wholesale",
    title: "Customers",
    none: "No guides found",
  },
  {
    language: "es",
    ask: "¿En qué podemos ayudarte?",
    search: "Buscar en las guías",
    word: "mayorista",
    title: "Clientes",
    none: "No se han encontrado guías",
  },
])("in $language", ({ language, ask, search, word, title, none }) => {
  test("searches the help, opens a guide, follows its link and goes back", async ({ visit }) => {
    const ben = await caller(at(undefined), people.ben.email);
    await ben.call("PATCH", "/api/common/user", { locale: language });
    const { page, open } = await visit({ as: people.ben, locale: language });
    await open("/docs");
    expect(place(page)).toBe("/apps/help-center");
    await shown(page.getByRole("heading", { level: 1, name: ask }));
    await page.getByRole("searchbox", { name: search }).fill("qqq");
    await shown(page.getByText(none));
    await page.getByRole("searchbox", { name: search }).fill(word);
    await look(page, "help-search", language);
    await page.locator('main a[href="/docs/guides/work/customers"]').click();
    await page.waitForURL("**/docs/guides/work/customers");
    await shown(page.getByRole("heading", { level: 1, name: title, exact: true }));
    // A link in a guide stays within the application.
    await page.evaluate(() => Object.assign(window, { sameDocument: true }));
    await page.locator("article a[href='/customers']").click();
    await page.waitForURL((url) => url.pathname === "/customers");
    expect(await page.evaluate(() => "sameDocument" in window)).toBe(true);
    await page.goBack();
    await page.waitForURL("**/docs/guides/work/customers");
    await ben.call("PATCH", "/api/common/user", { locale: "en" });
  });

  test("every guide passes the screen checks", async ({ visit }) => {
    const ben = await caller(at(undefined), people.ben.email);
    await ben.call("PATCH", "/api/common/user", { locale: language });
    const { page, open } = await visit({ as: people.ben, locale: language });
    await open(first);
    for (const topic of topics) {
      for (const name of contents[topic]) {
        await page.setViewportSize({ width: 1440, height: 900 });
        await page.locator(`nav a[href="/docs/guides/${topic}/${name}"]`).click();
        await page.waitForURL(`**/docs/guides/${topic}/${name}`);
        await look(page, `docs/guides/${topic}/${name}`, language);
      }
    }
    await ben.call("PATCH", "/api/common/user", { locale: "en" });
  });
});

test("redirects addresses of the sample data to their screens, and unknown guides to the help", async ({ visit }) => {
  const { page, open } = await visit({ as: people.ada });
  for (const [from, to] of [
    ["/apps/contacts", "/customers"],
    ["/apps/tasks", "/tasks"],
    ["/docs/guides/getting-started/nowhere", "/apps/help-center"],
    ["/docs/guides", "/apps/help-center"],
  ] as const) {
    await open(from);
    await settled(page);
    expect(place(page)).toBe(to);
  }
});

test("redirects a guest from a guide to sign-in, and keeps the guide's address", async ({ visit }) => {
  const { page, open } = await visit();
  await open(first);
  expect(place(page)).toBe(`/sign-in?redirectURL=${encodeURIComponent(first)}`);
});
