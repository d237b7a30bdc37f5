import { describe, expect, type TestContext } from "vitest";
import { layouts } from "@/lib/layout";
import { caller } from "./api";
import { people } from "./server";
import { at, gone, look, settled, shown, test } from "./stage";

const appearance = "/settings/appearance";

/** Restores what a test changes for a member or the company. */
async function restoring(onTestFinished: TestContext["onTestFinished"], language = "en") {
  const ada = await caller(at(undefined), people.ada.email);
  await ada.call("PATCH", "/api/common/user", { locale: language, layout: null, scheme: null });
  onTestFinished(async () => {
    await ada.call("PATCH", "/api/common/user", { locale: "en", layout: null, scheme: null });
  });
  return ada;
}

test("previews an appearance through a reload, discards it, saves another and undoes it", async ({ visit, onTestFinished }) => {
  const ada = await restoring(onTestFinished);
  const { page, open } = await visit({ as: people.ada });
  await open(appearance);
  const html = page.locator("html");
  const before = (await html.getAttribute("class")) ?? "";
  expect(before).not.toContain("theme-rose");

  await page.getByRole("radio", { name: "Rose", exact: true }).check({ force: true });
  expect(await html.getAttribute("class")).toContain("theme-rose");
  const bar = page.getByRole("region", { name: "Trying out" });
  await shown(bar);
  // The preview stays through navigation and a reload.
  await page.getByRole("link", { name: "Tasks" }).first().click();
  await page.waitForURL("**/tasks");
  await page.reload();
  await settled(page);
  expect(await html.getAttribute("class")).toContain("theme-rose");
  await bar.getByRole("button", { name: "Discard" }).click();
  await gone(bar);
  expect(await html.getAttribute("class")).toBe(before);

  await open(appearance);
  await page.getByRole("radio", { name: "Amber", exact: true }).check({ force: true });
  await page.getByRole("radio", { name: "Classy", exact: true }).check({ force: true });
  await bar.getByRole("button", { name: "Keep for me" }).click();
  await gone(bar);
  await expect.poll(() => ada.call("GET", "/api/common/user")).toMatchObject({ layout: "classy", scheme: "amber" });
  await page.getByRole("button", { name: "Undo" }).click();
  await page.waitForFunction((was) => document.documentElement.className === was, before);
  // The screen does not wait for the server.
  await expect.poll(() => ada.call("GET", "/api/common/user")).not.toMatchObject({ scheme: "amber" });
});

test("arrow keys move through the layouts and keep the focus", async ({ visit, onTestFinished }) => {
  await restoring(onTestFinished);
  const { page, open } = await visit({ as: people.ada });
  await open(appearance);
  await page.locator("#layout-company").focus();
  for (const layout of [
    "classic",
    "classy",
    "compact",
    "dense",
    "futuristic",
    "thin",
    "centered",
    "enterprise",
    "material",
    "modern",
    "empty",
  ]) {
    await page.keyboard.press("ArrowDown");
    await settled(page);
    await page.waitForFunction((id) => document.activeElement?.id === id, `layout-${layout}`);
  }
  expect(layouts).toHaveLength(11);
  await page.getByRole("button", { name: "Discard" }).click();
});

describe.each(["en", "es"])("in %s", (language) => {
  test("the choosers pass the screen checks, for the member and for the company", async ({ visit, onTestFinished }) => {
    await restoring(onTestFinished, language);
    const { page, open } = await visit({ as: people.ada, locale: language });
    await open(`${appearance}?for=company`);
    await look(page, "settings/appearance-company", language);
    await open(appearance);
    for (const scheme of ["brand", "amber", "slate"]) {
      await page.locator(`#scheme-${scheme}`).check({ force: true });
      await look(page, `settings/appearance-${scheme}`, language);
    }
  });
});

test("a permitted member sets the company's appearance, and another member sees it", async ({ visit, onTestFinished }) => {
  const ada = await restoring(onTestFinished);
  const { page, open } = await visit({ as: people.ada });
  const { page: other, open: openOther } = await visit({ as: people.ben });
  await openOther("/tasks");
  const before = (await ada.call("GET", "/api/settings/company")) as { color_scheme: string };
  await open(`${appearance}?for=company`);
  await page.locator("#scheme-violet").check({ force: true });
  expect(await other.locator("html").getAttribute("class")).not.toContain("theme-violet");
  await page.getByRole("button", { name: "Keep for the company" }).click();
  await other.waitForFunction(() => document.documentElement.classList.contains("theme-violet"));
  await ada.call("PATCH", "/api/settings/company", { color_scheme: before.color_scheme });
  await openOther(`${appearance}?for=company`);
  expect(await other.getByRole("radio", { name: "For the company" }).count()).toBe(0);
});
