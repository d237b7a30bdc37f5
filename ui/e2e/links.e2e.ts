import { expect } from "vitest";
import { caller } from "./api";
import { people } from "./server";
import { at, gone, shown, test } from "./stage";

test("records are linked from one side and unlinked from the other, and a mention in the chat is in the timeline", async ({ visit }) => {
  const ada = await caller(at(undefined), people.ada.email);
  const customer = await ada.call<{ id: string }>("POST", "/api/customers", { name: "Zephyr Kites" });
  const task = await ada.call<{ id: string }>("POST", "/api/tasks", { type: "task", title: "Order kite strings" });
  const { items: members } = await ada.call<{ items: { id: string; email: string }[] }>("GET", "/api/team");
  const contactId = members.find(({ email }) => email === people.ben.email)?.id;
  const chat = await ada.call<{ id: string }>("POST", "/api/apps/chat/chat", { contactId });

  const { page, open, allow } = await visit({ as: people.ada });
  await open(`/customers/${customer.id}`);
  const record = page.getByRole("dialog", { name: "Zephyr Kites" });
  await record.getByRole("tab", { name: "Related" }).click();
  await record.getByRole("button", { name: "Link a record" }).click();
  const dialog = page.getByRole("dialog", { name: "Link a record" });
  await dialog.getByRole("button", { name: "Customer Kind" }).click();
  await page.getByRole("option", { name: "Task", exact: true }).click();
  await dialog.getByRole("combobox", { name: "Task" }).fill("kite strings");
  await page.getByRole("option", { name: "Order kite strings" }).click();
  await gone(dialog);
  const links = record.getByRole("region", { name: "Links" });
  await shown(links.getByRole("link", { name: "Order kite strings" }));
  await record.getByRole("tab", { name: "Activity" }).click();
  await shown(record.getByText("linked Order kite strings"));

  // A colleague mentions the customer while it is open.
  const reference = { kind: "customer", recordId: customer.id, text: "#Zephyr" };
  await ada.call("POST", "/api/apps/chat/messages", { chatId: chat.id, value: "Ask #Zephyr today", references: [reference] });
  await shown(record.getByText("mentioned it in a chat"));
  await shown(record.getByText("Ask #Zephyr today"));

  await record.getByRole("tab", { name: "Related" }).click();
  await links.getByRole("link", { name: "Order kite strings" }).click();
  const other = page.getByRole("dialog", { name: "Order kite strings" });
  await other.getByRole("button", { name: "Remove the link to Zephyr Kites" }).click();
  // The activity goes on naming it.
  const otherLink = other.getByRole("region", { name: "Links" }).getByRole("link", { name: "Zephyr Kites" });
  await gone(otherLink);
  // The list does not wait for the server, the offer to undo does.
  const undo = page.getByRole("button", { name: "Undo" });
  await shown(undo);
  expect((await ada.call<{ total: number }>("GET", `/api/customers/${customer.id}/links`)).total).toBe(0);
  await undo.click();
  await shown(otherLink);
  // It is open while it is deleted.
  allow(/status of 404/);
  await ada.call("DELETE", `/api/tasks/${task.id}`);
  await ada.call("DELETE", `/api/customers/${customer.id}`);
});

test("pages are a list, too: filtered, published together and deleted with their subpages moved up", async ({ visit }) => {
  const ada = await caller(at(undefined), people.ada.email);
  const top = await ada.call<{ id: string }>("POST", "/api/pages", { title: "Quay manual" });
  await ada.call("POST", "/api/pages", { title: "Quay cranes", parentId: top.id });
  const { page, open } = await visit({ as: people.ada });
  await open("/pages");
  await page.getByRole("link", { name: "Show as a list" }).click();
  await shown(page.getByRole("link", { name: "Show as a tree" }));
  await page.getByRole("searchbox", { name: "Search pages" }).fill("quay");
  await shown(page.getByText("2 pages found"));
  await page.getByRole("checkbox", { name: "Select all on this page" }).check();
  await page.getByRole("button", { name: "Change…" }).click();
  const dialog = page.getByRole("dialog", { name: "2 selected" });
  await dialog.getByRole("button", { name: "Choose… Status" }).click();
  await page.getByRole("option", { name: "Published", exact: true }).click();
  await dialog.getByRole("button", { name: "Apply" }).click();
  await shown(page.getByText("2 records were changed."));
  await open("/pages/list?filter=status:is:published&q=quay&sort=title");
  await shown(page.getByText("2 pages found"));
  await page.getByRole("checkbox", { name: "Select Quay manual" }).check();
  await page.getByRole("button", { name: "Delete" }).click();
  const asked = page.getByRole("alertdialog");
  await shown(asked.getByText("Subpages of the selected pages move up one level."));
  await asked.getByRole("button", { name: "Delete" }).click();
  await shown(page.getByText("1 record is in the trash."));
  await gone(page.locator("a[data-row]", { hasText: "Quay manual" }));
  await page.getByRole("button", { name: "Undo" }).click();
  await shown(page.getByRole("link", { name: "Quay manual" }).first());
  const { items } = await ada.call<{ items: { parentId?: string }[] }>("GET", `/api/pages?parentId=${top.id}`);
  expect(items.length).toBe(1);
});
