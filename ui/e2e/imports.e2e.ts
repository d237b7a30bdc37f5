import { expect } from "vitest";
import { caller } from "./api";
import { people } from "./server";
import { gone, look, place, shown, test } from "./stage";

/** A file as spreadsheets in Spain write it: semicolons, and one byte for each letter with an accent. */
const file = {
  name: "personas.csv",
  mimeType: "text/csv",
  buffer: Buffer.from(
    [
      "Nombre;Apellidos;Correo;Móvil;Cumpleaños;Socio",
      "Ángela;Muñoz Peña;angela@munoz.example;600 555 101;25/11/1980;1042",
      "Íñigo;Ibáñez;inigo@ibanez.example;600 555 102;;1043",
      "Uxía;Pérez;no es un correo;;;1044",
    ].join("\r\n"),
    "latin1",
  ),
};

test("people are imported from a file, seen in their list, and the import is undone", async ({ server, visit }) => {
  const ada = await caller(server.url, people.ada.email);
  const { page, open, go, allow } = await visit({ origin: server.origin, as: people.ada });
  const total = async () => (await ada.call<{ total: number }>("GET", "/api/customers?limit=1")).total;
  const before = await total();
  await open("/customers");
  await page.getByRole("button", { name: "More actions" }).click();
  await page.getByRole("menuitem", { name: "Import…" }).click();
  await shown(page.getByRole("heading", { name: "Import people" }));

  // A workbook is refused with what to do.
  allow(/422/);
  const workbook = Buffer.from("PK\x03\x04\x14\0\x06\0\b\0\0\0!\0[Content_Types].xml xl/workbook.xml", "latin1");
  await page.setInputFiles("input[type=file]", { name: "people.xlsx", mimeType: "application/zip", buffer: workbook });
  await shown(page.getByText("people.xlsx can’t be imported."));
  await page.setInputFiles("input[type=file]", file);
  await shown(page.getByRole("heading", { name: "personas.csv" }));
  const address = place(page);

  const target = (column: string) => page.getByRole("combobox", { name: `Field for “${column}”` });
  const choose = async (column: string, words: string, option: string) => {
    await target(column).fill(words);
    await page.getByRole("option", { name: option, exact: true }).click();
  };
  await expect.poll(() => target("Correo").inputValue()).toBe("Email");
  await choose("Nombre", "first", "First name");
  await choose("Socio", "new", "New field…");
  await shown(page.getByRole("textbox", { name: "Name of the new field" }));
  await shown(page.getByText("All columns are imported."));
  await shown(page.getByRole("cell", { name: "Muñoz Peña" }));
  await look(page, "imports/matched", "en");

  await page.getByRole("button", { name: "Check 3 rows" }).click();
  await shown(page.getByText("This is what an import would do. Nothing is saved yet."));
  await shown(page.getByRole("listitem").filter({ hasText: "Row 4" }));
  expect(await total()).toBe(before);
  // The state is the server's: it is there after a reload.
  await open(address);
  await page.getByRole("button", { name: "Import 3 rows" }).click();
  await shown(page.getByRole("heading", { name: "Import finished" }));
  expect(await page.evaluate(() => document.activeElement?.textContent)).toBe("Import finished");
  await look(page, "imports/finished", "en");
  await page.getByRole("link", { name: "Show the imported records" }).click();
  await shown(page.getByRole("link", { name: "Ángela Muñoz Peña", exact: true }));
  await shown(page.getByRole("link", { name: "Íñigo Ibáñez", exact: true }));

  await go("/settings/data/imports");
  await shown(page.getByText("3 new"));
  const report = page.waitForEvent("download");
  await page.getByRole("button", { name: "Download report" }).click();
  expect((await report).suggestedFilename()).toBe("Import problems.csv");
  await page.getByRole("link", { name: "personas.csv" }).click();
  await page.getByRole("button", { name: "Undo import" }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Undo import" }).click();
  await shown(page.getByText("3 records are as they were before the import."));
  await go("/customers");
  await gone(page.getByRole("link", { name: "Ángela Muñoz Peña", exact: true }));
  expect(await total()).toBe(before);
});
