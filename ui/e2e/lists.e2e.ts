import { expect } from "vitest";
import { caller } from "./api";
import { people } from "./server";
import { at, gone, shown, test } from "./stage";

test("a filtered list is saved as a view, shared, changed and deleted", async ({ visit }) => {
  const ada = await caller(at(undefined), people.ada.email);
  for (const [name, status] of [
    ["Zest Bakery", "lead"],
    ["Yarrow Clinic", "inactive"],
  ]) {
    await ada.call("POST", "/api/customers", { name, status, tags: ["views"] });
  }
  const { page, open } = await visit({ as: people.ada });
  const row = (name: string) => page.getByRole("link", { name, exact: true });
  await open("/customers?filter=tags:is:views");
  await shown(row("Zest Bakery"));
  await shown(row("Yarrow Clinic"));
  await page.getByRole("button", { name: "Save as new view…" }).click();
  await page.getByRole("textbox", { name: "Name" }).fill("Tagged");
  await page.getByRole("checkbox", { name: "Share with the company" }).check();
  await page.keyboard.press("Enter");
  const menu = page.getByRole("button", { name: "Tagged", exact: true });
  await shown(menu);
  expect(new URL(page.url()).search).toMatch(/^\?view=[0-9a-f-]+$/);

  // A colleague sees it at once, without a reload, and reads the list with it.
  const ben = await visit({ as: people.ben });
  await ben.open("/customers");
  await ben.page.getByRole("button", { name: "All customers" }).click();
  await ben.page.getByRole("menuitemradio", { name: "Tagged" }).click();
  await shown(ben.page.getByRole("link", { name: "Zest Bakery", exact: true }));

  // The list opens with it from now on, and what is changed is saved into it.
  await menu.click();
  await page.getByRole("menuitem", { name: "Open the list with this view" }).click();
  await open("/customers");
  await shown(menu);
  await page.getByRole("button", { name: "Filter by Status" }).click();
  await page.getByRole("checkbox", { name: "Lead" }).check();
  await page.keyboard.press("Escape");
  await gone(row("Yarrow Clinic"));
  await page.getByRole("button", { name: "Save view" }).click();
  await shown(menu);
  await shown(ben.page.getByRole("button", { name: "Status is Lead" }));
  await gone(ben.page.getByRole("link", { name: "Yarrow Clinic", exact: true }));

  await menu.click();
  await page.getByRole("menuitem", { name: "Delete view" }).click();
  await shown(page.getByRole("button", { name: "All customers" }));
  await page.getByRole("button", { name: "Undo" }).click();
  await page.getByRole("button", { name: "All customers" }).click();
  await shown(page.getByRole("menuitemradio", { name: "Tagged" }));

  // Undo brought back that the list opens with it, which other journeys do not expect.
  const { items } = await ada.call<{ items: { id: string }[] }>("GET", "/api/views?kind=customers");
  for (const { id } of items) await ada.call("DELETE", `/api/views/${id}`);
});

test("events are a list, too: filtered by attendee, opened beside it, and moved to another place together", async ({ visit }) => {
  const ada = await caller(at(undefined), people.ada.email);
  for (const [title, day] of [
    ["Quince fair", "2026-12-03"],
    ["Quince tasting", "2026-12-04"],
  ]) {
    await ada.call("POST", "/api/events", { title, allDay: true, startDate: day, endDate: day, recurrence: "FREQ=YEARLY" });
  }
  const { page, open } = await visit({ as: people.ada });
  await open("/events");
  await page.getByRole("radio", { name: "List" }).click();
  await page.getByRole("searchbox", { name: "Search events" }).fill("quince");
  await shown(page.getByText("2 events found"));
  await page.getByRole("checkbox", { name: "Select all on this page" }).check();
  await page.getByRole("button", { name: "Change…" }).click();
  const dialog = page.getByRole("dialog", { name: "2 selected" });
  await dialog.getByRole("textbox", { name: "Location" }).fill("Old hall");
  await dialog.getByRole("button", { name: "Apply" }).click();
  await shown(page.getByText("2 records were changed."));
  await page.getByRole("link", { name: "Quince fair" }).click();
  await shown(page.getByRole("dialog", { name: "Quince fair" }).locator("dl").getByText("Old hall"));
  await page.keyboard.press("Escape");
  await gone(page.getByRole("dialog"));
  expect(new URL(page.url()).searchParams.get("span")).toBe("list");
  // The choice of the other screen takes over the focus.
  await page.getByRole("radio", { name: "List" }).focus();
  await page.keyboard.press("ArrowLeft");
  await shown(page.locator("input[type=radio][value=month]:focus"));
  expect(new URL(page.url()).searchParams.get("span")).toBe("month");
});
