import type { Locator, Page } from "playwright-core";
import { describe, expect } from "vitest";
import { callers, speak } from "./callers";
import { people } from "./server";
import { gone, look, settled, shown, test } from "./stage";

const { ada, ben } = callers();

interface Kind {
  path: "tasks" | "events" | "pages";
  /** A new record for each test. */
  record: object;
  /** Opens the form; returns the field to write in. */
  edit: (page: Page, id: string) => Promise<Locator>;
  leave: (page: Page) => Promise<unknown>;
  /** The label of the field that both change, per language. */
  label: { en: string; es: string };
  change: (text: string) => object;
  /** Reads the field from the record. */
  says: (record: Record<string, string>) => string | undefined;
  /** Saves; left out if the form saves automatically. */
  save?: (page: Page) => Promise<unknown>;
}

const day = new Date().toISOString().slice(0, 10);
const go = async (page: Page, path: string) => {
  await page.goto(path);
  await settled(page);
};

const kinds: Record<"task" | "event" | "page", Kind> = {
  task: {
    path: "tasks",
    record: { type: "task", title: "Paint the fence", notes: "Green." },
    edit: async (page, id) => {
      await go(page, `/tasks/${id}`);
      const field = page.getByRole("dialog").getByLabel(/^(Notes|Notas)$/);
      await field.focus();
      return field;
    },
    leave: (page) =>
      page
        .getByRole("dialog")
        .getByRole("button", { name: /^(Close|Cerrar)$/ })
        .click(),
    label: { en: "Notes", es: "Notas" },
    change: (notes) => ({ notes }),
    says: ({ notes }) => notes,
  },
  event: {
    path: "events",
    record: { title: "Stocktaking", allDay: true, startDate: day, endDate: day, description: "In the big hall." },
    edit: async (page, id) => {
      await go(page, `/events/${id}`);
      await page.getByRole("button", { name: /^(Edit|Editar)$/ }).click();
      const field = page.getByRole("dialog").getByLabel(/^(Description|Descripción)$/);
      await shown(field);
      return field;
    },
    leave: (page) => page.getByRole("button", { name: /^(Cancel|Cancelar)$/ }).click(),
    label: { en: "Description", es: "Descripción" },
    change: (description) => ({ description }),
    says: ({ description }) => description,
    save: (page) => page.locator("[role=dialog] button[type=submit]").click(),
  },
  page: {
    path: "pages",
    record: { title: "House rules", status: "published", body: "<p>Doors are shut at eight.</p>" },
    edit: async (page, id) => {
      await go(page, `/pages/${id}?edit=1`);
      const field = page.getByRole("textbox", { name: /^(Text|Texto)$/ });
      await shown(field);
      return field;
    },
    leave: (page) => page.getByRole("button", { name: /^(Done|Listo)$/ }).click(),
    label: { en: "Text", es: "Texto" },
    change: (text) => ({ body: `<p>${text}</p>` }),
    says: ({ body }) => body?.replaceAll(/<[^>]+>/g, ""),
  },
};
const names = Object.keys(kinds) as (keyof typeof kinds)[];

/** Waits until an element is completely visible. */
const inSight = (locator: Locator) =>
  expect
    .poll(() =>
      locator.evaluate(
        (element) =>
          new Promise<boolean>((done) => new IntersectionObserver(([entry]) => done(entry?.intersectionRatio === 1)).observe(element)),
      ),
    )
    .toBe(true);

/** Saves another member's change, once, before any save of this page arrives. */
async function overtake(page: Page, path: string, change: () => Promise<unknown>) {
  let changing: Promise<unknown> | undefined;
  await page.route(`**/api/${path}`, async (route) => {
    if (route.request().method() === "PATCH") {
      changing ??= change();
      await changing;
    }
    await route.fallback();
  });
}

describe.each(names)("two people editing one %s", (name) => {
  const { path, record, edit, leave, label, change, says, save } = kinds[name];

  test("each sees that the other is editing until they leave", async ({ visit, onTestFinished }) => {
    const { id } = await ada.call<{ id: string }>("POST", `/api/${path}`, record);
    onTestFinished(async () => void (await ada.call("DELETE", `/api/${path}/${id}`)));
    await speak(ada, "en");
    await speak(ben, "es");
    const hers = await visit({ as: people.ada });
    const his = await visit({ as: people.ben });
    await edit(hers.page, id);
    await edit(his.page, id);
    const note = hers.page.getByText("Ben Okafor is editing this too.");
    await shown(note);
    await shown(his.page.getByText("Ada Moreno también está editando esto."));
    await look(hers.page, `editors-${name}`, "en");
    await look(his.page, `editors-${name}`, "es");
    await his.page.setViewportSize({ width: 1440, height: 900 });
    await leave(his.page);
    await gone(note);
    // Leaving without a choice is possible, too.
    await edit(his.page, id);
    await shown(note);
    await his.context.close();
    await gone(note);
  });

  test.for(["en", "es"] as const)(
    "shows both versions of a conflicting change, and either can be kept (%s)",
    async (language, { visit, onTestFinished }) => {
      const made = await ada.call<{ id: string }>("POST", `/api/${path}`, record);
      const place = `${path}/${made.id}`;
      onTestFinished(async () => void (await ada.call("DELETE", `/api/${place}`)));
      const kept = async () => says(await ada.call<Record<string, string>>("GET", `/api/${place}`));
      await speak(ada, language);
      const { page, allow } = await visit({ as: people.ada });
      allow(/status of 412/);
      const dialog = page.getByRole("dialog", { name: /^(Two versions|Dos versiones)$/ });
      const versions = dialog.getByRole("group", { name: label[language], exact: true }).getByRole("radio");
      const write = async (own: string, others: string) => {
        await overtake(page, place, () => ben.call("PATCH", `/api/${place}`, change(others)));
        const field = await edit(page, made.id);
        await field.fill(own);
        if (save) await save(page);
        else await page.getByRole("button", { name: /^(Compare versions|Comparar versiones)$/ }).click();
        await shown(dialog);
        for (const text of [own, others]) await shown(dialog.getByText(text));
        expect(await kept()).toBe(others);
        return field;
      };
      const choose = async () => {
        await dialog.getByRole("button", { name: /^(Save this version|Guardar esta versión)$/ }).click();
        await gone(dialog);
        await page.unroute(`**/api/${place}`);
      };

      // Back from the choice, the typed text is unchanged; then the member's own version is kept.
      const lines = "The lease runs out in March, and nobody has asked the owner yet. ".repeat(20).trim();
      const [own, others] = [`Written by Ada. ${lines}`, `Written by Ben. ${lines}`];
      const field = await write(own, others);
      await expect.poll(() => versions.first().isChecked()).toBe(true);
      await look(page, `versions-${name}`, language);
      await page.setViewportSize({ width: 1440, height: 900 });
      await page.keyboard.press("Escape");
      await gone(dialog);
      await shown(page.getByText(/^(Other changes were saved|Se han guardado otros cambios)/));
      const typed = await field.evaluate((element) => (element as HTMLTextAreaElement).value ?? element.textContent);
      expect(typed).toBe(own);
      await inSight(page.getByRole("button", { name: /^(Compare versions|Comparar versiones)$/ }));
      await look(page, `stale-${name}`, language);
      await page.setViewportSize({ width: 1440, height: 900 });
      await page.getByRole("button", { name: /^(Compare versions|Comparar versiones)$/ }).click();
      await shown(dialog);
      await choose();
      await expect.poll(kept).toBe(own);

      // Then the other version.
      await write("Once more by Ada.", "Once more by Ben.");
      await versions.last().check();
      await choose();
      await shown(page.getByText("Once more by Ben."));
      expect(await kept()).toBe("Once more by Ben.");
    },
  );
});

test("text that is pasted from other programs looks as it did there", async ({ visit, onTestFinished }) => {
  const { id } = await ada.call<{ id: string }>("POST", "/api/pages", { title: "Pasted" });
  onTestFinished(async () => void (await ada.call("DELETE", `/api/pages/${id}`)));
  await speak(ada, "en");
  const { page, allow } = await visit({ as: people.ada });
  // The browser parses pasted HTML under the rules of the page: styles and handlers have no effect, and it says so.
  allow(/Applying inline style|Executing inline event handler/);
  const field = await kinds.page.edit(page, id);
  await field.focus();
  const item = (marker: string, text: string) =>
    `<p style="mso-list:l0 level1 lfo1"><![if !supportLists]><span style="mso-list:Ignore">${marker}<span>&nbsp;</span></span><![endif]>${text}</p>`;
  const html =
    '<b style="font-weight:normal"><p><span style="font-weight:400">plain </span><span style="font-weight:700">heavy</span></p></b>' +
    `${item("·", "First")}${item("·", "Second")}<img src="x" onerror="document.title='taken'">`;
  await field.evaluate((element, pasted) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData("text/html", pasted);
    element.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
  }, html);
  const body = async () => (await ada.call<{ body: string }>("GET", `/api/pages/${id}`)).body;
  // The editor ends with a paragraph, so that one can write on behind a list.
  const lists = "<ul><li><p>First</p></li><li><p>Second</p></li></ul>";
  await expect.poll(body).toBe(`<p>plain <strong>heavy</strong></p>${lists}<p></p>`);
  expect(await page.title()).not.toBe("taken");
});
