import { expect } from "vitest";
import { caller } from "./api";
import { people } from "./server";
import { gone, look, place, shown, test } from "./stage";

test("a new company is set up step by step, with sample data that is taken away again", async ({ server, visit }) => {
  // The company's other administrator sees the same steps; Ben is a member.
  const gus = await caller(server.url, people.gus.email);
  const origin = server.url.replace("127.0.0.1", "globex.localhost");
  const { page, open, go } = await visit({ origin, as: people.gus });
  const total = async (kind: string) => (await gus.call<{ total: number }>("GET", `/api/${kind}?limit=1`)).total;
  await open("/dashboard");
  const card = page.locator("section").filter({ has: page.getByRole("heading", { name: "First steps" }) });
  await shown(card.getByText("1 of 4 done"));
  await look(page, "first-hour/new", "en");
  await page.setViewportSize({ width: 1440, height: 900 });

  // Sample data completes no step.
  await card.getByRole("button", { name: "Add sample data" }).click();
  await shown(page.getByText("Sample data was added."));
  await shown(card.getByText(/^35 sample records are in your company/));
  await shown(card.getByText("1 of 4 done"));
  await shown(page.getByRole("link", { name: /Contract meeting with Harbor Coffee Roasters/ }).first());
  expect(await Promise.all(["customers", "organizations", "deals", "tasks"].map(total))).toEqual([12, 4, 5, 8]);
  await look(page, "first-hour/sample", "en");
  await page.setViewportSize({ width: 1440, height: 900 });

  // What someone worked on goes to the trash.
  await go("/customers");
  await shown(page.getByRole("link", { name: "Nora Whitfield", exact: true }));
  const { items } = await gus.call<{ items: { id: string }[] }>("GET", "/api/customers?q=Olivia");
  await gus.call("PATCH", `/api/customers/${items[0]?.id}`, { about: "Took our pictures" });
  await go("/settings/company");
  await page.getByRole("button", { name: "Remove sample data" }).click();
  await shown(page.getByText("34 sample records were deleted. 1 that was changed is in the trash."));
  expect(await Promise.all(["customers", "organizations", "deals", "tasks"].map(total))).toEqual([0, 0, 0, 0]);
  await go("/settings/data/bin");
  await shown(page.getByText("Olivia Grant"));

  // Empty lists offer the import and the sample data.
  for (const path of ["/customers", "/customers/organizations", "/customers/deals", "/tasks"]) {
    await go(path);
    await shown(page.getByRole("main").getByRole("link", { name: "Import…" }));
    await shown(page.getByRole("main").getByRole("button", { name: "Add sample data" }));
    await look(page, `first-hour/empty${path}`, "en");
    await page.setViewportSize({ width: 1440, height: 900 });
  }

  await go("/dashboard");
  await card.getByRole("link", { name: /Invite your colleagues/ }).click();
  await shown(page.getByRole("dialog", { name: "Invite people" }));
  await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
  await go("/dashboard");
  await card.getByRole("link", { name: /Import your customers/ }).click();
  await shown(page.getByRole("heading", { name: "Import people" }));
  expect(place(page)).toBe("/imports/new?kind=customers");

  // The card follows what others do.
  await go("/dashboard");
  await gus.call("POST", "/api/customers", { name: "José Ñúñez" });
  await shown(card.getByText("2 of 4 done"));
  await gone(card.getByRole("button", { name: "Add sample data" }));
  await card.getByRole("button", { name: "Hide first steps" }).click();
  await gone(card);
  await open("/dashboard");
  await shown(page.getByRole("link", { name: "Overdue" }));
  await gone(card);
  await go("/settings/company");
  await page.getByRole("switch", { name: "Show first steps on my dashboard" }).click();
  await go("/dashboard");
  await shown(card.getByText("2 of 4 done"));
});
