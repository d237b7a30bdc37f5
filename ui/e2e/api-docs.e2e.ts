import { expect } from "vitest";
import { people } from "./server";
import { shown, test } from "./stage";

test("the API page lists every call, and sends one with its default values", async ({ visit }) => {
  const { page } = await visit({ as: people.ada });
  const answer = await page.goto("/api/docs");
  const policy = answer?.headers()["content-security-policy"] ?? "";
  expect(policy).not.toContain("unsafe");
  expect(policy).toContain("require-trusted-types-for 'script'");
  const calls = await page.evaluate(async () => {
    const { paths } = await (await fetch("/api/openapi.json")).json();
    return Object.values<object>(paths).flatMap((item) => Object.keys(item));
  });
  await shown(page.locator("#listCustomers"));
  expect(await page.locator("details.call").count()).toBe(calls.length);

  await page.getByRole("button", { name: "Use my session" }).click();
  await shown(page.getByText(`Signed in as ${people.ada.email}.`));
  await page.locator("#listCustomers > summary").click();
  // Optional fields have no example values, which would match no record.
  const filled = await page
    .locator("#listCustomers input")
    .evaluateAll((all) => all.filter((one) => (one as HTMLInputElement).value !== ""));
  expect(filled).toEqual([]);
  const asked = page.waitForResponse((response) => response.url().includes("/api/customers"));
  await page.locator("#listCustomers").getByRole("button", { name: "Try it" }).click();
  expect((await (await asked).json()).items.length).toBeGreaterThan(0);

  await page.getByRole("searchbox", { name: "Find a call" }).fill("uploadFile");
  expect(await page.locator("details.call:visible").count()).toBe(1);
});
