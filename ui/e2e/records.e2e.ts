import { expect } from "vitest";
import { caller } from "./api";
import { people } from "./server";
import { at, gone, look, shown, test } from "./stage";

const phoneNumbers = [{ country: "GB", phoneNumber: "20 7946 0777", label: "Work" }];
const emails = [{ email: "willa@wren.example", label: "Work" }];

test("in the whole window, a task and an event are added beside the facts and what belongs to the person", async ({ visit }) => {
  const ada = await caller(at(undefined), people.ada.email);
  const organization = await ada.call<{ id: string }>("POST", "/api/organizations", { name: "Wren Bakery" });
  const person = await ada.call<{ id: string }>("POST", "/api/customers", {
    name: "Willa Wren",
    organizationId: organization.id,
    details: { phoneNumbers, emails },
  });
  const { page, open } = await visit({ as: people.ada, width: 1280 });
  await open(`/customers/${person.id}`);
  const record = page.getByRole("dialog", { name: "Willa Wren" });
  await record.getByRole("button", { name: "Use the whole window" }).click();
  const details = record.getByRole("region", { name: "Details" });
  const timeline = record.getByRole("region", { name: "Activity", exact: true });
  const related = record.getByRole("region", { name: "Related" });
  const widths = [];
  for (const zone of [details, timeline, related]) widths.push((await zone.boundingBox())?.width ?? 0);
  expect(widths[0]).toBe(320);
  expect(widths[1]).toBeGreaterThanOrEqual(560);
  expect(widths[2]).toBe(280);
  await shown(related.getByRole("link", { name: /Wren Bakery/ }));
  await look(page, "customers-in-zones", "en", [{ width: 1280, height: 900 }]);

  // By keyboard: a task for the person and the organization.
  await details.getByRole("button", { name: "Task for Willa Wren" }).press("Enter");
  await page.keyboard.type("Bake a sample");
  await timeline.getByRole("button", { name: "Tomorrow" }).press("Enter");
  await page.keyboard.press("ControlOrMeta+Enter");
  await shown(related.getByRole("link", { name: "Bake a sample" }));
  await shown(details.getByRole("link", { name: "Bake a sample" }));
  const tasks = await ada.call<{ items: { organizationId?: string }[] }>("GET", `/api/tasks?filter=customerId:is:${person.id}`);
  expect(tasks.items[0]?.organizationId).toBe(organization.id);

  // An event with the person, from which closing leads back.
  await timeline.getByRole("link", { name: "Event", exact: true }).press("Enter");
  const form = page.getByRole("dialog", { name: "Add event" });
  await shown(form.getByRole("button", { name: "Remove Willa Wren" }));
  await form.getByRole("textbox", { name: "Title" }).fill("Tasting");
  await page.keyboard.press("ControlOrMeta+Enter");
  const event = page.getByRole("dialog", { name: "Tasting" });
  await shown(event.getByRole("link", { name: "Willa Wren" }));
  await event.getByRole("button", { name: "Close" }).click();
  await shown(related.getByRole("region", { name: "Next meeting" }).getByRole("link", { name: /Tasting/ }));
});

test("on a phone, one press in the list calls, and the call is logged in the next one", async ({ visit }) => {
  const ada = await caller(at(undefined), people.ada.email);
  const address = "1 Mill Lane\nLeeds";
  const wilma = { name: "Wilma Finch", details: { phoneNumbers, emails, address } };
  const person = await ada.call<{ id: string }>("POST", "/api/customers", wilma);
  const { page, open } = await visit({ as: people.ada, width: 390, height: 800 });
  await open("/customers?q=wilma");
  const card = page.getByRole("listitem").filter({ hasText: "Wilma Finch" });
  const actions = card.getByRole("group", { name: "Quick actions" });
  for (const action of await actions.locator("a, button").all()) {
    const box = await action.boundingBox();
    expect(Math.min(box?.width ?? 0, box?.height ?? 0)).toBeGreaterThanOrEqual(44);
  }
  const map = await actions.getByRole("link", { name: "Map of 1 Mill Lane, Leeds" }).getAttribute("href");
  expect(map).toBe("https://www.openstreetmap.org/search?query=1%20Mill%20Lane%2C%20Leeds");
  // The browser of the test cannot call.
  await page.evaluate(() =>
    addEventListener("click", (event) => event.target instanceof Element && event.target.closest("[href^=tel]") && event.preventDefault()),
  );
  await actions.getByRole("link", { name: "Call Wilma Finch" }).click();
  await page.getByRole("button", { name: "Log this call" }).click();
  await page.getByRole("button", { name: "Log call" }).click();
  await shown(page.getByText("The call was logged."));
  await shown(card.getByText("Last contact"));

  // In the record, the composer is in a tab.
  await open(`/customers/${person.id}`);
  const record = page.getByRole("dialog", { name: "Wilma Finch" });
  await shown(record.getByText("1 Mill Lane"));
  await record.getByRole("tab", { name: "Details" }).press("ArrowRight");
  await shown(record.getByRole("listitem").filter({ hasText: "called" }));
  await gone(record.getByText("1 Mill Lane"));
  await record.getByRole("tab", { name: "Files" }).click();
  await record.getByRole("button", { name: "Log activity with Wilma Finch" }).click();
  await page.keyboard.type("She is out until Monday");
  await record.getByRole("button", { name: "Log call" }).click();
  await shown(record.getByRole("listitem").filter({ hasText: "She is out until Monday" }));
  await look(page, "customers-in-tabs", "en", [{ width: 320, height: 640 }]);
});

test("the deals’ list logs, and a deal reaches its person", async ({ visit }) => {
  const ada = await caller(at(undefined), people.ada.email);
  const person = await ada.call<{ id: string }>("POST", "/api/customers", { name: "Wanda Vale", details: { phoneNumbers } });
  await ada.call("POST", "/api/deals", { title: "Wax lamps", customerId: person.id });
  const { page, open } = await visit({ as: people.ada, width: 768 });
  await open("/customers/deals?q=wax%20lamps");
  const row = page.getByRole("row").filter({ hasText: "Wax lamps" });
  await row.hover();
  await row.getByRole("button", { name: "Log activity on Wax lamps" }).click();
  await page.getByRole("button", { name: "Log call" }).click();
  await shown(page.getByText("The call was logged."));
  await row.getByRole("link", { name: "Wax lamps" }).click();
  const record = page.getByRole("dialog", { name: "Wax lamps" });
  await shown(record.getByRole("link", { name: "Call Wanda Vale" }));
  await shown(record.getByRole("listitem").filter({ hasText: "called" }));
});
