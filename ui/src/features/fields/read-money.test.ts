import i18n from "i18next";
import { afterEach, beforeAll, expect, test } from "vitest";
import { type Region, setRegion } from "@/lib/region";
import es from "../../../../i18n/es.json";
import { readMoney } from "./read-money";

beforeAll(() => void i18n.addResourceBundle("es", "translation", es));
afterEach(async () => {
  setRegion(undefined);
  await i18n.changeLanguage("en");
});
const read = (text: string, currency = "GBP") => {
  setRegion({ currency: "GBP" } as Region);
  const money = readMoney(text, currency);
  return typeof money === "string" ? money : `${money.amount} ${money.currency}`;
};

// The kind of fault: an amount that is stored as another one than was typed, or refused although it is one.
test.each([
  ["1.200", "120000 GBP"],
  ["1,200", "120000 GBP"],
  ["1 200", "120000 GBP"],
  ["10.999", "1099900 GBP"],
  ["1.234.567", "123456700 GBP"],
  ["1.234,50", "123450 GBP"],
  ["1,234.5", "123450 GBP"],
  ["1'234.50", "123450 GBP"],
  ["12,5", "1250 GBP"],
  [".5", "50 GBP"],
  ["0.500", "50 GBP"],
  ["7.1000", "710 GBP"],
  ["0", "0 GBP"],
  ["-5", "-500 GBP"],
  ["£ 5", "500 GBP"],
  ["£-5.20", "-520 GBP"],
  ["5 gbp", "500 GBP"],
  ["GBP 1,200.50", "120050 GBP"],
  ["5 €", "500 EUR"],
  ["90071992547409.91", "9007199254740991 GBP"],
])("reads %j as %s, whatever the language", async (text, expected) => {
  for (const language of ["en", "es"]) {
    await i18n.changeLanguage(language);
    expect(read(text)).toBe(expected);
  }
});

test.each([
  ["0.999", "tooManyDecimals"],
  ["10.9999", "tooManyDecimals"],
  ["1,234.567", "tooManyDecimals"],
  ["99999999999999999", "tooLarge"],
  ["90071992547409.92", "tooLarge"],
  ["five", "notANumber"],
  ["1.2.3", "notANumber"],
  ["1,2,3,4", "notANumber"],
  ["12,34.5", "notANumber"],
  ["5 sheep", "notACurrency"],
  ["£ 5 €", "notANumber"],
  ["", "notANumber"],
])("refuses %j: %s", (text, fault) => {
  expect(read(text)).toBe(fault);
});

test("the currency decides how many decimals there are, and in one with three the language decides what the mark is", async () => {
  expect([read("1.200", "JPY"), read("5.5", "JPY"), read("1.234", "KWD"), read("1,234", "KWD")]).toEqual([
    "1200 JPY",
    "tooManyDecimals",
    "1234 KWD",
    "1234000 KWD",
  ]);
  await i18n.changeLanguage("es");
  expect([read("1.234", "KWD"), read("1,234", "KWD")]).toEqual(["1234000 KWD", "1234 KWD"]);
  expect([read("$5", "MXN"), read("$5", "EUR")]).toEqual(["500 MXN", "500 USD"]);
});
