import { expect } from "vitest";
import { caller } from "./api";
import { people } from "./server";
import { at, gone, shown, test } from "./stage";

test("a call with a next step is logged; the list knows both until the task is completed", async ({ visit }) => {
  const ada = await caller(at(undefined), people.ada.email);
  const organization = await ada.call<{ id: string }>("POST", "/api/organizations", { name: "Yarrow Mills" });
  await ada.call("POST", "/api/customers", { name: "Yara Quill", organizationId: organization.id });
  const { page, open } = await visit({ as: people.ada });
  const second = await visit({ as: people.ben });
  await second.open(`/customers/organizations/${organization.id}`);

  await open("/customers?q=yara");
  const row = page.getByRole("row").filter({ hasText: "Yara Quill" });
  await row.getByRole("link", { name: "Yara Quill" }).click();
  const record = page.getByRole("dialog", { name: "Yara Quill" });
  await record.getByRole("button", { name: "Call", exact: true }).click();
  await page.keyboard.type("Wants a sample of the red one");
  await record.getByRole("button", { name: "Reached" }).click();
  await record.getByRole("button", { name: "Add next step" }).click();
  await page.keyboard.type("Send the red sample");
  await record.getByRole("button", { name: "Tomorrow" }).click();
  await page.keyboard.press("ControlOrMeta+Enter");
  const entry = record.getByRole("listitem").filter({ hasText: "Wants a sample of the red one" });
  await shown(entry.getByText("Reached"));
  await shown(entry.getByRole("link", { name: /Yarrow Mills/ }));
  await shown(record.getByRole("term").filter({ hasText: "Last contact" }));

  // It concerns the organization, too, whose timeline a colleague has open.
  await shown(second.page.getByRole("listitem").filter({ hasText: "Wants a sample of the red one" }));

  await page.keyboard.press("Escape");
  await gone(record);
  await shown(row.getByRole("cell", { name: "now" }));
  const step = row.getByRole("link", { name: "Tomorrow" });
  await step.click();
  const task = page.getByRole("dialog", { name: "Send the red sample" });
  await expect.poll(() => task.getByRole("combobox", { name: "Organization" }).inputValue()).toBe("Yarrow Mills");
  await task.getByRole("button", { name: "Mark as completed" }).click();
  await shown(task.getByRole("button", { name: "Completed" }));
  await open("/customers?q=yara");
  await shown(row);
  await gone(step);

  // Two presses log another one from the list; its author deletes it, and takes that back.
  await row.hover();
  await row.getByRole("button", { name: "Log activity with Yara Quill" }).click();
  await page.getByRole("button", { name: "Log call" }).click();
  await shown(page.getByText("The call was logged."));
  await row.getByRole("link", { name: "Yara Quill" }).click();
  const calls = record.getByRole("listitem").filter({ hasText: "called" });
  await shown(calls.nth(1));
  await calls.first().getByRole("button", { name: "Entry actions" }).click();
  await page.getByRole("menuitem", { name: "Delete call" }).click();
  await gone(calls.nth(1));
  await page.getByRole("button", { name: "Undo" }).click();
  await shown(calls.nth(1));
});
