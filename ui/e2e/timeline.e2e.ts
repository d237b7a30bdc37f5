import assert from "node:assert";
import { caller } from "./api";
import { people } from "./server";
import { at, gone, shown, test } from "./stage";

test("two members comment on a task, and each sees at once what the other changes", async ({ visit }) => {
  const ada = await caller(at(undefined), people.ada.email);
  const { id } = await ada.call<{ id: string }>("POST", "/api/tasks", { title: "Order labels" });
  const first = await visit({ as: people.ada });
  const second = await visit({ as: people.ben });
  for (const { open } of [first, second]) await open(`/tasks/${id}`);

  const write = first.page.getByRole("textbox", { name: "Write a comment" });
  await write.fill("Which colour, @Be");
  await first.page.getByRole("option").first().click();
  await write.press("Enter");
  await shown(first.page.getByRole("listitem").filter({ hasText: "Which colour" }));
  const seen = second.page.getByRole("listitem").filter({ hasText: "Which colour" });
  await shown(seen);
  assert.match((await seen.textContent()) ?? "", /@Ben/);

  await seen.getByRole("button", { name: "React" }).click();
  await second.page.getByRole("dialog", { name: "Emoji" }).getByRole("button").first().click();
  await shown(first.page.getByRole("button", { pressed: false }).filter({ hasText: "Ben" }));

  // A change is told with its values.
  await first.page.getByRole("dialog").getByText("High", { exact: true }).click();
  await shown(second.page.getByRole("listitem").filter({ hasText: "Normal → High" }).first());

  // The author's draft of another comment survives a reload.
  await write.fill("And how many");
  await first.page.reload();
  await shown(write);
  assert.equal(await write.inputValue(), "And how many");

  const own = first.page.getByRole("listitem").filter({ hasText: "Which colour" });
  await own.getByRole("button", { name: "Comment actions" }).click();
  await first.page.getByRole("menuitem", { name: "Delete comment" }).click();
  await first.page.getByRole("alertdialog").getByRole("button", { name: "Delete comment" }).click();
  await gone(seen);
});
