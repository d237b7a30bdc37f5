import { expect } from "vitest";
import { caller } from "./api";
import { people } from "./server";
import { at, gone, look, shown, test } from "./stage";

test("an administrator exports the data of a customer and deletes it for good, by keyboard", async ({ visit }) => {
  const { call } = await caller(at(undefined), people.ada.email);
  const { id } = await call<{ id: string }>("POST", "/api/customers", { name: "Zoë Quill", about: "Rare" });
  const { page, open } = await visit({ as: people.ada });
  await open(`/customers/${id}`);
  const more = page.getByRole("dialog", { name: "Zoë Quill" }).getByRole("button", { name: "More actions" });
  await more.press("Enter");
  const file = page.waitForEvent("download");
  await page.getByRole("menuitem", { name: "Export everything" }).press("Enter");
  expect((await file).suggestedFilename()).toBe("Personal data of Zoë Quill.json");

  await more.press("Enter");
  await page.getByRole("menuitem", { name: "Delete for good…" }).press("Enter");
  const dialog = page.getByRole("dialog", { name: "Delete all data of Zoë Quill?" });
  const name = dialog.getByRole("textbox");
  await shown(name);
  await expect.poll(() => name.evaluate((field) => field === document.activeElement)).toBe(true);
  await look(page, "personal-data-delete", "en");
  await page.setViewportSize({ width: 1440, height: 900 });
  await name.focus();
  await page.keyboard.type("zoe quill");
  await page.keyboard.press("Enter");
  await gone(dialog);
  await shown(page.getByText("The customer is deleted."));
  await open("/settings/audit");
  await shown(page.getByText("deleted all data of a person for good").first());
  await expect(call("GET", `/api/customers/${id}`)).rejects.toThrow("404");
});

test("an administrator deletes all data of a customer in the bin, by keyboard", async ({ visit }) => {
  const { call } = await caller(at(undefined), people.ada.email);
  const { id } = await call<{ id: string }>("POST", "/api/customers", { name: "Yara Quill" });
  await call("DELETE", `/api/customers/${id}`);
  const { page, open } = await visit({ as: people.ada });
  await open("/settings/data/bin");
  const row = page.getByRole("listitem").filter({ hasText: "Yara Quill" });
  await row.getByRole("button", { name: "Delete “Yara Quill” for good" }).press("Enter");
  await shown(page.getByRole("alertdialog").getByText("The name stays in the audit log", { exact: false }));
  await page.keyboard.press("Escape");
  await row.getByRole("button", { name: "Delete all data of “Yara Quill”…" }).press("Enter");
  const dialog = page.getByRole("dialog", { name: "Delete all data of Yara Quill?" });
  const name = dialog.getByRole("textbox");
  await expect.poll(() => name.evaluate((field) => field === document.activeElement)).toBe(true);
  await page.keyboard.type("yara quill");
  await page.keyboard.press("Enter");
  await gone(dialog);
  await gone(row);
});
