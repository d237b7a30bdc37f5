import i18n from "i18next";
import { afterEach, beforeAll, expect, test } from "vitest";
import es from "../../../../i18n/es.json";
import { estimateText, moneyText } from "./money";

beforeAll(() => void i18n.addResourceBundle("es", "translation", es));
afterEach(() => i18n.changeLanguage("en").then(() => undefined));
const pounds = (amount: number) => ({ amount, currency: "GBP" });

// The kind of fault: one amount in two forms.
test.each([
  [1_760_000, "£17,600"],
  [1_760_050, "£17,600.50"],
  [-500, "-£5"],
  [0, "£0"],
])("shows %d pence as %s everywhere", (amount, text) => {
  expect(moneyText(pounds(amount))).toBe(text);
});

test("amounts beside one with a fraction have decimals, too, and so have estimates", () => {
  const beside = [pounds(22_180_050), pounds(100)];
  expect(beside.map((one) => moneyText(one, beside))).toEqual(["£221,800.50", "£1.00"]);
  expect([estimateText(pounds(9_256_512)), estimateText(pounds(9_256_512), beside)]).toEqual(["£92,565", "£92,565.12"]);
  // An amount in another currency is in no column with them.
  expect(moneyText({ amount: 1_200, currency: "EUR" }, beside)).toBe("€12");
  expect(moneyText({ amount: 1_200, currency: "JPY" }, beside)).toBe("¥1,200");
});

test("the form is the same in Spanish", async () => {
  await i18n.changeLanguage("es");
  const texts = [100_000, 100_050].map((amount) => moneyText({ amount, currency: "EUR" }).replace("\u00a0", " "));
  expect(texts).toEqual(["1000 €", "1000,50 €"]);
});
