import { expect } from "vitest";
import { caller } from "./api";
import { people } from "./server";
import { gone, shown, test } from "./stage";

test("an administrator renames a stage; a member's deal goes through the stages, is lost, opened again and won", async ({
  server,
  visit,
}) => {
  const ada = await caller(server.url, people.ada.email);
  const { id: organization } = await ada.call<{ id: string }>("POST", "/api/organizations", { name: "Harbour Hotels" });

  // The administrator renames a stage, and removes one that has a deal.
  const { id: early } = await ada.call<{ id: string }>("POST", "/api/deals", { title: "Old lamps", stageId: "qualified" });
  const admin = await visit({ as: people.ada, origin: server.origin });
  await admin.open("/settings/company");
  const name = admin.page.getByRole("textbox", { name: "Name of stage 3" });
  await name.fill("Offer");
  await admin.page.getByRole("button", { name: "Remove Qualified" }).click();
  const form = admin.page.locator("form", { has: name.or(admin.page.getByRole("textbox", { name: "Name of stage 1" })) });
  admin.allow(/422/);
  await form.getByRole("button", { name: "Save changes" }).click();
  const moves = admin.page.getByRole("dialog", { name: "Where do the deals go?" });
  await moves.getByRole("button", { name: /Move deals in “Qualified” to/ }).click();
  await admin.page.getByRole("option", { name: "Offer" }).click();
  await moves.getByRole("button", { name: "Move and save" }).click();
  await gone(moves);
  await expect.poll(async () => (await ada.call<{ stageId: string }>("GET", `/api/deals/${early}`)).stageId).toBe("proposal");

  // The member adds a deal for the organization, by keyboard.
  const { page, open } = await visit({ as: people.ben, origin: server.origin });
  await open(`/customers/organizations/${organization}`);
  await page.getByRole("tab", { name: "Related" }).click();
  await page.getByRole("region", { name: "Deals" }).getByRole("link", { name: "Add deal" }).press("Enter");
  await shown(page.getByRole("dialog", { name: "Add deal" }));
  await expect.poll(() => page.getByRole("combobox", { name: "Organization" }).inputValue()).toBe("Harbour Hotels");
  await page.keyboard.type("Rugs for the lobby");
  await page.getByRole("textbox", { name: "Value" }).focus();
  await page.keyboard.type("12,500");
  await page.keyboard.press("Tab");
  await page.keyboard.type("EUR");
  await page.keyboard.press("ControlOrMeta+Enter");
  const drawer = page.getByRole("dialog", { name: "Rugs for the lobby" });
  await shown(drawer.getByText("€12,500", { exact: true }));

  // A stage is one press; the current one is marked, and the administrator sees it at once.
  await admin.open("/customers/deals?as=board");
  await shown(admin.page.getByRole("region", { name: /^New 1/ }));
  const offer = drawer.getByRole("list", { name: "Stage" }).getByRole("button", { name: "Offer" });
  await offer.focus();
  await page.keyboard.press("Enter");
  await shown(drawer.getByText("Saved"));
  expect(await offer.getAttribute("aria-current")).toBe("step");
  await shown(admin.page.getByRole("region", { name: /^Offer 2/ }));
  await shown(drawer.getByText("New → Offer"));

  // It is lost with a reason, opened again, and won.
  await drawer.getByRole("button", { name: "Lost" }).press("Enter");
  const why = page.getByRole("dialog", { name: "Why was “Rugs for the lobby” lost?" });
  await why.getByRole("button", { name: /Reason/ }).click();
  await page.getByRole("option", { name: "Price" }).click();
  await why.getByRole("textbox", { name: "More about the reason" }).fill("Half as much elsewhere.");
  await why.getByRole("button", { name: "Mark as lost" }).click();
  const outcome = drawer.getByRole("region", { name: "Outcome" });
  await shown(outcome.getByText("Half as much elsewhere."));
  await shown(outcome.getByText("Price"));
  await outcome.getByRole("button", { name: "Open again" }).press("Enter");
  await drawer.getByRole("button", { name: "Won" }).press("Enter");
  await shown(page.getByText("“Rugs for the lobby” is won."));
  await shown(outcome.getByText("Won"));

  // The forecast has it as won, and its figure leads to it.
  await open("/customers/deals/forecast");
  const won = page.getByRole("table", { name: "Forecast" }).getByRole("link", { name: /, Won: €12,500$/ });
  await won.click();
  await shown(page.getByRole("button", { name: "Outcome is Won" }));
  await shown(page.getByRole("link", { name: "Rugs for the lobby" }));
  await gone(page.getByRole("link", { name: "Old lamps" }));
});
