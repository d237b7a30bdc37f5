import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import { people, startServer } from "./server";
import { settled, shown, test } from "./stage";

const french = {
  errors: { not_found: "Nous n’avons pas trouvé cela." },
  navigation: { customers: "Clients" },
  ui: {
    shell: { language: "Langue" },
    test: { title: "Essai" },
    notifications: { unread_one: "{{count}} notification non lue", unread_other: "{{count}} notifications non lues" },
  },
};

test("offers, shows and keeps a language that the operator adds, with English for missing texts", async ({ visit, onTestFinished }) => {
  const folder = await mkdtemp(join(tmpdir(), "atrium-languages-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await writeFile(join(folder, "fr.json"), JSON.stringify(french));
  const server = await startServer({ ATRIUM_LANGUAGES: folder });
  onTestFinished(() => server.stop());

  const { page, open } = await visit({ origin: server.url, as: people.ada });
  await open("/test");
  await page.getByRole("button", { name: "Language" }).click();
  await shown(page.getByRole("menu"));
  expect(await page.getByRole("menuitem").allTextContents()).toEqual(
    ["English", "British English", "Español", "Français"].map((name) => expect.stringContaining(name)),
  );
  await page.getByRole("menuitem", { name: "Français" }).click();
  await shown(page.getByRole("heading", { name: "Essai" }));
  await shown(page.getByRole("link", { name: "Clients" }));
  await shown(page.getByRole("link", { name: "Events" }));
  expect(await page.locator("html").getAttribute("lang")).toBe("fr");

  await page.reload();
  await settled(page);
  await shown(page.getByRole("link", { name: "Clients" }));
  await shown(page.getByRole("button", { name: "Langue" }));

  await open("/dashboards/project");
  const today = new Intl.DateTimeFormat("fr", { month: "long" }).format(new Date());
  await shown(page.getByText(new RegExp(today, "i")).first());

  const refused = await fetch(`${server.url}/api/nothing`, { headers: { "Accept-Language": "fr-CA, en;q=0.5" } });
  expect((await refused.json()).error.message).toBe("Nous n’avons pas trouvé cela.");
  for (const path of ["/i18n/../fr.json", "/i18n/%2e%2e/fr.json", "/i18n/fr", "/i18n/FR.json", "/i18n/de.json"]) {
    expect((await fetch(server.url + path)).status, path).toBe(404);
  }
});

test("British English has its own words, in guides too", async ({ visit }) => {
  const { page, open } = await visit({ as: people.ada, locale: "en-GB" });
  await open("/settings/data/bin");
  await page.getByRole("button", { name: "Language" }).click();
  await page.getByRole("menuitem", { name: "British English" }).click();
  await shown(page.getByRole("heading", { name: "Bin", exact: true }));
  expect(await page.locator("html").getAttribute("lang")).toBe("en-GB");
  await open("/docs/guides/work/customers");
  await shown(page.getByRole("link", { name: "the bin" }).first());
  await page.getByRole("button", { name: "Language" }).click();
  await page.getByRole("menuitem", { name: "English", exact: true }).click();
});

test("an invalid language file keeps the server from starting, with the reason", async ({ onTestFinished }) => {
  const folder = await mkdtemp(join(tmpdir(), "atrium-languages-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await writeFile(join(folder, "it.json"), '{"ui": {"action": {"add": 1}}}');
  await expect(startServer({ ATRIUM_LANGUAGES: folder })).rejects.toThrow(
    /ATRIUM_LANGUAGES: languages: .*it\.json: ui\.action\.add: expected a text in quotes/,
  );
});
