// Forms say what is wrong without moving what a press aims at: the first press in an untouched form once did nothing,
// because leaving its required field showed an error that moved everything while the button was down (F-M3).
import type { Locator } from "playwright-core";
import { expect } from "vitest";
import { people } from "./server";
import { shown, test } from "./stage";

const paths = ["/customers/new", "/customers/organizations/new", "/customers/deals/new", "/events/new"];
const sizes = [
  { width: 1440, height: 900 },
  { width: 390, height: 844 },
];

/** Returns where the inputs of a form stand. */
const places = (form: Locator) =>
  form.evaluate((element) => [...element.querySelectorAll("input, textarea, select")].map((input) => input.getBoundingClientRect().top));

for (const { width, height } of sizes) {
  test(`at ${width} pixels, a press in an untouched form moves nothing and does what it aims at`, async ({ visit }) => {
    const { page, open } = await visit({ as: people.ada, width, height });
    for (const path of paths) {
      await open(path);
      const form = page.getByRole("dialog");
      const [first, second] = [form.getByRole("textbox").first(), form.getByRole("textbox").nth(1)];
      await first.focus();
      await second.scrollIntoViewIfNeeded();
      const before = await places(form);
      const box = await second.boundingBox();
      if (!box) throw new Error(`${path} has no second field`);
      await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
      await page.mouse.down();
      expect(await places(form), path).toEqual(before);
      await page.mouse.up();
      expect(await second.evaluate((element) => element === document.activeElement), path).toBe(true);
      expect(await form.getByText("This can’t be empty.").count(), path).toBe(0);
      // Sending says what is missing, in the place that is kept for it.
      await page.keyboard.press("ControlOrMeta+Enter");
      await shown(form.getByText("This can’t be empty.").first());
      expect(await places(form), path).toEqual(before);
    }
  });
}
