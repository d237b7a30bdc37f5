import { expect } from "vitest";
import { caller } from "./api";
import { people } from "./server";
import { gone, shown, test } from "./stage";

test("an administrator edits the statuses, a member gives one and filters by a tag, which is then renamed and undone", async ({
  server,
  visit,
}) => {
  const ada = await caller(server.url, people.ada.email);
  const make = (name: string, more: object) => ada.call<{ id: string }>("POST", "/api/customers", { name, ...more });
  const { id } = await make("Nora Velvet", { status: "inactive", tags: ["rugs", "velvet"] });
  await make("Otto Wool", { tags: ["wool"] });

  // A status is renamed, one is added, and one with a customer is removed.
  const admin = await visit({ as: people.ada, origin: server.origin });
  await admin.open("/settings/company");
  const form = admin.page.locator("form", { has: admin.page.getByRole("textbox", { name: "Name of status 1" }) });
  await form.getByRole("textbox", { name: "Name of status 1" }).fill("Prospect");
  await form.getByRole("button", { name: "Remove Inactive" }).press("Enter");
  await form.getByRole("button", { name: "Add status" }).press("Enter");
  await form.getByRole("textbox", { name: "Name of status 3" }).fill("Partner");
  await form.getByRole("button", { name: /^Color of Partner/ }).press("Enter");
  await admin.page.getByRole("radio", { name: "Teal" }).press("Space");
  await admin.page.keyboard.press("Enter");
  await shown(form.getByRole("button", { name: "Color of Partner: Teal" }));
  await form.getByRole("textbox", { name: /^Delete customers with “Prospect” after/ }).fill("24");
  await shown(form.getByText("Applies to 0 people today."));
  await form.getByRole("button", { name: "Move Partner", exact: true }).press("ArrowUp");
  admin.allow(/422/);
  await form.getByRole("button", { name: "Save changes" }).click();
  const moves = admin.page.getByRole("dialog", { name: "Which status do the customers get?" });
  await moves.getByRole("button", { name: /Customers with “Inactive” get/ }).click();
  await admin.page.getByRole("option", { name: "Prospect" }).click();
  await moves.getByRole("button", { name: "Change and save" }).click();
  await gone(moves);
  await expect.poll(async () => (await ada.call<{ status: string }>("GET", `/api/customers/${id}`)).status).toBe("lead");

  // The member gives the new status where it stands, and filters the list by a tag.
  const { page, open, go } = await visit({ as: people.ben, origin: server.origin });
  await open(`/customers/${id}`);
  const drawer = page.getByRole("dialog", { name: "Nora Velvet" });
  await drawer.getByRole("button", { name: /^Prospect/ }).press("Enter");
  await page.getByRole("option", { name: "Partner" }).click();
  await shown(drawer.getByText("Saved"));
  await shown(drawer.getByText("Prospect → Partner"));
  await drawer.getByRole("link", { name: "velvet", exact: true }).press("Enter");
  await shown(page.getByRole("button", { name: "Tags is velvet" }));
  await shown(page.getByText("1 found"));

  // The administrator colors the tag, and merges another one into it; the member sees it at once.
  await admin.go("/settings/company/tags");
  await admin.page.getByRole("searchbox", { name: "Search tags" }).fill("w");
  await admin.page.getByRole("button", { name: "Rename “wool”" }).press("Enter");
  const dialog = admin.page.getByRole("dialog", { name: "Rename “wool”" });
  await dialog.getByRole("textbox", { name: "New name" }).fill("Velvet");
  await shown(dialog.getByText(/“velvet” already exists, on 1 record\./));
  await dialog.getByRole("button", { name: "Merge tags" }).press("Enter");
  await gone(dialog);
  await shown(page.getByText("2 found"));

  // The undo of the page brings it back.
  await admin.page.getByRole("button", { name: "Undo" }).first().press("Enter");
  await shown(page.getByText("1 found"));
  await go("/customers?filter=tags:is:wool");
  await shown(page.getByRole("link", { name: "Otto Wool" }));
});
