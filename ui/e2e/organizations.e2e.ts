import { expect } from "vitest";
import { caller } from "./api";
import { people } from "./server";
import { at, gone, shown, test } from "./stage";

test("companies become organizations, which is undone; a person is put into one by the form, by keyboard", async ({ visit }) => {
  const ada = await caller(at(undefined), people.ada.email);
  for (const [name, company] of [
    ["Zane Orr", "Zephyr Mills"],
    ["Zelda Orr", "ZEPHYR MILLS"],
    ["Zita Orr", "Self-employed potter"],
  ]) {
    await ada.call("POST", "/api/customers", { name, status: "lead", details: { company, title: "Miller" } });
  }
  const { page, open } = await visit({ as: people.ada });
  const row = (name: string) => page.getByRole("link", { name, exact: true });
  await open("/customers/organizations");
  await page.getByRole("button", { name: "Create from companies" }).first().click();
  const dialog = page.getByRole("dialog", { name: /^Create organizations from/ });
  // Other journeys have companies, too.
  await dialog.getByRole("checkbox", { name: "All companies" }).uncheck();
  await dialog.getByRole("checkbox", { name: /^Zephyr Mills/i }).check();
  await shown(page.getByText("2 people will belong to an organization."));
  await page.getByRole("button", { name: "Create organizations" }).click();
  await shown(page.getByText("2 people now belong to an organization."));
  await page.getByRole("searchbox", { name: "Search organizations" }).fill("zephyr");
  await shown(page.getByRole("link", { name: /^Zephyr Mills$/i }));
  await page.getByRole("button", { name: "Undo" }).click();
  await shown(page.getByText("2 records are as before."));
  await gone(page.getByRole("link", { name: /^Zephyr Mills$/i }));

  // The form adds the organization with the person, without a pointer.
  await open("/customers?q=zane");
  await row("Zane Orr").focus();
  await page.keyboard.press("e");
  const company = page.getByRole("combobox", { name: "Company" });
  await company.focus();
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.type("Zephyr House");
  await shown(page.getByRole("option", { name: "New organization “Zephyr House”" }));
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await shown(page.getByText("Created as an organization when you save."));
  await page.keyboard.press("ControlOrMeta+Enter");
  const link = row("Zephyr House");
  await shown(link);

  // It has the person, and follows a colleague who adds another one.
  await link.click();
  // The person's record has a tab of this name, too.
  await shown(page.getByRole("dialog", { name: "Zephyr House" }));
  await page.getByRole("tab", { name: "Related" }).click();
  const list = page.getByRole("region", { name: "People" });
  await shown(list.getByRole("link", { name: /Zane Orr/ }));
  const [made] = (await ada.call<{ items: { id: string }[] }>("GET", "/api/organizations?q=zephyr%20house")).items;
  await ada.call("POST", "/api/customers", { name: "Zora Orr", organizationId: made?.id });
  await shown(list.getByRole("link", { name: "Zora Orr" }));
  await list.getByRole("link", { name: "Add person" }).click();
  await expect.poll(() => page.getByRole("combobox", { name: "Company" }).inputValue()).toBe("Zephyr House");
  await page.getByRole("textbox", { name: "Name" }).fill("Zuri Orr");
  await page.getByRole("button", { name: "Add customer" }).click();
  await shown(page.getByRole("heading", { name: "Zuri Orr" }));
  await shown(row("Zephyr House"));

  // Its new name is that of the person's company.
  await ada.call("PATCH", `/api/organizations/${made?.id}`, { name: "Zephyr Holding" });
  await shown(row("Zephyr Holding"));
  await page.getByRole("button", { name: "Change company" }).click();
  await page.getByRole("button", { name: "Clear company" }).click();
  await page.keyboard.press("Enter");
  await gone(row("Zephyr Holding"));
  await expect
    .poll(async () => (await ada.call<{ total: number }>("GET", `/api/customers?limit=1&filter=organizationId:is:${made?.id}`)).total)
    .toBe(2);
});
