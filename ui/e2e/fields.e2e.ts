import assert from "node:assert";
import { caller } from "./api";
import { people } from "./server";
import { gone, shown, test } from "./stage";

test("an administrator defines a field, and two members see each other fill it in", async ({ server, visit }) => {
  const name = "Renewal date";
  const ada = await caller(server.url, people.ada.email);
  const { id } = await ada.call<{ id: string }>("POST", "/api/customers", { name: "Kanarium" });
  const first = await visit({ origin: server.origin, as: people.ada });
  const second = await visit({ origin: server.origin, as: people.ben });
  await second.open(`/customers/${id}`);
  await second.page.getByRole("button", { name: "More", exact: true }).click();
  await first.open("/settings/data/fields");
  await first.page.getByRole("button", { name: "Add field" }).click();
  await first.page.getByRole("textbox", { name: "Name" }).fill(name);
  await first.page.getByRole("button", { name: /Type/ }).click();
  await first.page.getByRole("option", { name: "Date", exact: true }).click();
  await first.page.getByRole("textbox", { name: "Name" }).press("Enter");
  await shown(first.page.getByRole("button", { name: `Delete “${name}”` }));

  // It appears in the customer that the other member has open.
  const field = second.page.getByRole("textbox", { name });
  await shown(field);
  await field.fill("1/31/2027");
  await field.press("Tab");
  await shown(second.page.getByRole("listitem").filter({ hasText: `changed ${name}` }));
  await first.open(`/customers/${id}`);
  await first.page.getByRole("button", { name: "More", exact: true }).click();
  assert.equal(await first.page.getByRole("textbox", { name }).inputValue(), "January 31, 2027");

  await first.open("/settings/data/fields");
  await first.page.getByRole("button", { name: `Delete “${name}”` }).click();
  await gone(field);
  await first.page.getByRole("button", { name: "Restore" }).click();
  await shown(field);
  assert.equal(await field.inputValue(), "January 31, 2027");
});
