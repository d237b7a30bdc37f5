import { caller } from "./api";
import { people } from "./server";
import { at, gone, shown, test } from "./stage";

test("a deleted customer comes back by Undo, and later from the bin", async ({ visit }) => {
  const ada = await caller(at(undefined), people.ada.email);
  const { id } = await ada.call<{ id: string }>("POST", "/api/customers", { name: "Soon Gone Ltd" });
  const { page, open } = await visit({ as: people.ada });
  const remove = async () => {
    await open(`/customers/${id}`);
    await page.getByRole("button", { name: "Edit" }).click();
    await page.getByRole("button", { name: "Delete" }).click();
    await shown(page.getByText("“Soon Gone Ltd” is in the trash."));
  };
  const row = page.getByRole("link", { name: "Soon Gone Ltd", exact: true });
  await remove();
  await gone(row);
  await page.getByRole("button", { name: "Undo" }).click();
  await shown(row);

  await remove();
  await open("/settings/data/bin");
  await page.getByRole("listitem").filter({ hasText: "Soon Gone Ltd" }).getByRole("button", { name: "Restore" }).click();
  await page.getByRole("button", { name: "Open", exact: true }).click();
  await page.waitForURL(`**/customers/${id}`);
  await shown(page.getByRole("dialog", { name: "Soon Gone Ltd" }));
});
