import { expect } from "vitest";
import { caller } from "./api";
import { people } from "./server";
import { at, gone, shown, test } from "./stage";

test("selected customers are changed, tagged and deleted together, and Undo takes it back", async ({ visit }) => {
  const ada = await caller(at(undefined), people.ada.email);
  // Last by name: other journeys look for theirs on the first page.
  for (let n = 0; n < 60; n++) {
    await ada.call("POST", "/api/customers", { name: `Zulu ${String(n).padStart(2, "0")}`, status: "lead", tags: ["together"] });
  }
  const { page, open } = await visit({ as: people.ada });
  await open("/customers?filter=tags:is:together");
  await page.getByRole("checkbox", { name: "Select Zulu 00" }).check();
  await page.getByRole("checkbox", { name: "Select Zulu 03" }).click({ modifiers: ["Shift"] });
  await shown(page.getByText("4 selected"));
  // The keyboard goes on in the field of a dialog, and Escape leads out of everything, one after the other.
  await page.getByRole("button", { name: "Tags…" }).click();
  await shown(page.getByRole("dialog", { name: "4 selected" }));
  const field = page.getByRole("textbox", { name: "Add tags" });
  await expect.poll(() => field.evaluate((input) => input === document.activeElement)).toBe(true);
  await page.keyboard.type("zz");
  await page.keyboard.press("Escape");
  await expect.poll(() => field.inputValue()).toBe("");
  await page.keyboard.press("Escape");
  await gone(page.getByRole("dialog"));
  await page.getByRole("checkbox", { name: "Select Zulu 00" }).focus();
  await page.keyboard.press("Escape");
  await gone(page.getByText("4 selected"));
  await page.getByRole("checkbox", { name: "Select Zulu 00" }).check();
  await page.getByRole("checkbox", { name: "Select Zulu 03" }).click({ modifiers: ["Shift"] });
  await shown(page.getByText("4 selected"));
  await page.getByRole("button", { name: "Change…" }).click();
  const dialog = page.getByRole("dialog", { name: "4 selected" });
  const first = dialog.getByRole("button", { name: /Field$/ });
  await expect.poll(() => first.evaluate((button) => button === document.activeElement)).toBe(true);
  await dialog.getByRole("button", { name: "Choose… Status" }).click();
  await page.getByRole("option", { name: "Active", exact: true }).click();
  await dialog.getByRole("button", { name: "Apply" }).click();
  await shown(page.getByText("4 records were changed."));
  await open("/customers?filter=tags:is:together&filter=status:is:active");
  await shown(page.getByText("4 found"));

  await open("/customers?filter=tags:is:together");
  await page.getByRole("checkbox", { name: "Select all on this page" }).check();
  await page.getByRole("button", { name: "Select all 60" }).click();
  await shown(page.getByText("60 selected"));
  await page.getByRole("button", { name: "Delete" }).click();
  await shown(page.getByText("60 records are in the trash."));
  await gone(page.getByRole("link", { name: "Zulu 00" }));
  await page.getByRole("button", { name: "Undo" }).click();
  await shown(page.getByText("60 records are as before."));
  await shown(page.getByRole("link", { name: "Zulu 00" }));
  expect((await ada.call<{ total: number }>("GET", "/api/customers?limit=1&filter=tags:is:together")).total).toBe(60);
});
