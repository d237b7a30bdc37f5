import { expect } from "vitest";
import { caller } from "./api";
import { people } from "./server";
import { at, gone, shown, test } from "./stage";

interface Person {
  id: string;
  details: { phoneNumbers: { phoneNumber: string }[] };
}

test("a duplicate is noticed while it is typed, merged, and separated again; a pair is found by a search and dismissed", async ({
  visit,
}) => {
  const ada = await caller(at(undefined), people.ada.email);
  const read = (id: string) => ada.call<Person>("GET", `/api/customers/${id}`);
  const phonesOf = async (id: string) => (await read(id)).details.phoneNumbers.map(({ phoneNumber }) => phoneNumber.replace(/\D/g, ""));
  const comment = (id: string, text: string) => ada.call("POST", `/api/customers/${id}/comments`, { value: text });
  const first = await ada.call<Person>("POST", "/api/customers", {
    name: "Xenia Quark",
    about: "Buys lamps.",
    details: {
      emails: [{ email: "xenia@quark.example", label: "Work" }],
      phoneNumbers: [{ country: "es", phoneNumber: "612 555 021", label: "Mobile" }],
      company: "Quark Lamps",
    },
  });
  await comment(first.id, "Prefers the mornings.");

  // The second one is typed although the note offers the first one, which opens and leads back to the draft.
  const { page, open, allow } = await visit({ as: people.ada });
  await open("/customers/new");
  await page.getByRole("textbox", { name: "Name" }).fill("Xenia Quarck");
  await page.getByRole("textbox", { name: "Email address 1" }).fill("xenia@quark.example");
  const note = page.getByRole("region", { name: "You may already have this person" });
  await note.getByRole("button", { name: /Xenia Quark.*same email/ }).click();
  await note.getByRole("link", { name: /Xenia Quark/ }).click();
  await shown(page.getByRole("heading", { name: "Xenia Quark" }));
  await page.getByRole("button", { name: "Back to the form" }).click();
  await shown(note);
  await expect.poll(() => page.getByRole("textbox", { name: "Name" }).inputValue()).toBe("Xenia Quarck");
  await page.getByRole("textbox", { name: "Phone number 1", exact: true }).fill("612 555 034");
  await page.getByRole("button", { name: "Add customer" }).click();
  await shown(page.getByRole("heading", { name: "Xenia Quarck" }));
  await page.waitForURL(/customers\/[\w-]{36}/);
  const secondId = new URL(page.url()).pathname.split("/").at(-1) ?? "";
  await comment(secondId, "Asked for a catalog.");

  // Its record says so; the older one with more values is kept, and the merge has the phones and comments of both.
  await page.getByRole("button", { name: "Compare", exact: true }).click();
  const dialog = page.getByRole("dialog", { name: "Compare customers" });
  await shown(dialog.getByRole("radio", { name: /^Xenia Quark.*Is kept$/ }));
  expect(await dialog.getByRole("radio", { name: /^Xenia Quark.*Is kept$/ }).isChecked()).toBe(true);
  await dialog.getByRole("button", { name: "Merge", exact: true }).click();
  await page.waitForURL(`**/customers/${first.id}`);
  await shown(page.getByText("Merged."));
  await shown(page.getByText("Prefers the mornings."));
  await shown(page.getByText("Asked for a catalog."));
  expect(await phonesOf(first.id)).toEqual(["612555021", "612555034"]);
  await expect(read(secondId)).rejects.toThrow("mergedInto");

  // The address of the merged one leads to the one that was kept.
  allow(new RegExp(`status of 404.*/customers/${secondId}\\)`));
  await open(`/customers/${secondId}`);
  await page.waitForURL(`**/customers/${first.id}`);
  await shown(page.getByText("This record was merged into “Xenia Quark”."));

  await open("/customers/duplicates?show=merged");
  await page.getByRole("button", { name: "Undo merge of Xenia Quarck into Xenia Quark" }).click();
  await shown(page.getByText("“Xenia Quarck” is back."));
  expect(await phonesOf(first.id)).toEqual(["612555021"]);
  expect(await phonesOf(secondId)).toEqual(["612555034"]);

  // The search finds the pair; it is dismissed by keys, and not found again.
  await page.getByRole("radio", { name: "To check" }).click();
  const pair = page.getByRole("listitem", { name: /Xenia Quark and Xenia Quarck/ });
  await page.getByRole("button", { name: "Look for duplicates" }).click();
  await shown(pair);
  await pair.getByRole("button", { name: "Compare Xenia Quark and Xenia Quarck" }).focus();
  await page.keyboard.press("x");
  await gone(pair);
  await shown(page.getByText("“Xenia Quark” and “Xenia Quarck” are no longer shown as duplicates."));
  await page.getByRole("button", { name: "Undo" }).click();
  await shown(pair);
  await pair.getByRole("button", { name: "Xenia Quark and Xenia Quarck are not duplicates" }).click();
  await gone(pair);
  await open(`/customers/${first.id}`);
  await shown(page.getByText("Prefers the mornings."));
  await gone(page.getByRole("button", { name: "Compare", exact: true }));
});
