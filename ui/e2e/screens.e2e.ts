import { describe, expect } from "vitest";
import { caller } from "./api";
import { addressOf, guestPaths, memberPaths } from "./paths";
import { people } from "./server";
import { at, look, place, test, thorough } from "./stage";

describe.each(["en", "es"])("in %s", (language) => {
  test.for(guestPaths)("a guest at /%s", async (path, { visit }) => {
    const { page, open } = await visit({ locale: language });
    await open(`/${path}`);
    await look(page, `guest/${path}`, language);
  });

  // One visit for all screens; loading the application for each would take twice as long.
  test("a member at every screen", { timeout: 300_000 }, async ({ visit }) => {
    const ada = await caller(at(undefined), people.ada.email);
    await ada.call("PATCH", "/api/common/user", { locale: language });
    const { page, open, go } = await visit({ as: people.ada, locale: language });
    await open("/dashboard");
    const failures: string[] = [];
    for (const path of memberPaths) {
      try {
        const address = addressOf(path);
        await (thorough ? open : go)(address);
        // Settings open with their first section.
        expect(place(page).startsWith(address), place(page)).toBe(true);
        expect(await page.locator("html").getAttribute("lang")).toBe(language);
        await look(page, path, language);
      } catch (error) {
        failures.push(`/${path}: ${error}`);
      }
    }
    await ada.call("PATCH", "/api/common/user", { locale: "en" });
    expect(failures).toEqual([]);
  });
});
