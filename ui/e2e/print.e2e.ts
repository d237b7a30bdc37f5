import { expect } from "vitest";
import { people } from "./server";
import { gone, settled, shown, test } from "./stage";

test("print shows only the screen, and scrolling areas in full", async ({ visit }) => {
  const { page, open } = await visit({ as: people.ada });
  for (const path of ["/dashboard", "/customers", "/tasks", "/events", "/team/list", "/docs/guides/work/tasks"]) {
    await page.emulateMedia({ media: "screen" });
    await open(path);
    await page.emulateMedia({ media: "print" });
    await shown(page.getByRole("heading", { level: 1 }));
    for (const tool of [page.getByRole("button", { name: "User menu" }), page.getByRole("searchbox"), page.getByRole("navigation")]) {
      for (const one of await tool.all()) expect(await one.isVisible(), `${path}: ${await one.innerHTML()}`).toBe(false);
    }
    // No scrolling element may hide part of its content.
    const hidden = await page.evaluate(() =>
      [...document.querySelectorAll("main *")]
        .filter((one) => one.scrollHeight > one.clientHeight + 2 && ["auto", "scroll"].includes(getComputedStyle(one).overflowY))
        .map((one) => one.className),
    );
    expect(hidden, path).toEqual([]);
  }
});

test("an open record is printed without the list behind it", async ({ visit }) => {
  const { page, open } = await visit({ as: people.ada });
  await open("/customers");
  await page.getByRole("link", { name: "José Ñúñez" }).first().click();
  const record = page.getByRole("dialog", { name: "José Ñúñez" });
  await shown(record);
  await settled(page);
  await page.emulateMedia({ media: "print" });
  await gone(page.getByRole("heading", { level: 1, includeHidden: true }));
  await shown(record.getByText("912 55 50 14"));
  await gone(record.getByRole("button", { name: "Edit" }));
  expect(await page.evaluate(() => getComputedStyle(document.documentElement).overflowY)).toBe("visible");
});
