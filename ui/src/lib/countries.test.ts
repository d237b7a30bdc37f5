import { expect, test } from "vitest";
import { callingCode, countries, phoneLink, phoneText } from "./countries";

test("shows phone numbers with their country's code once", () => {
  expect(callingCode("es")).toBe("+34");
  expect(phoneText({ country: "DE", phoneNumber: "30 901820" })).toBe("+49 30 901820");
  expect(phoneText({ country: "DE", phoneNumber: "+49 30 901820" })).toBe("+49 30 901820");
  expect(phoneText({ phoneNumber: "112" })).toBe("112");
  expect(phoneLink({ country: "US", phoneNumber: "(202) 555-0143" })).toBe("tel:(202)%20555-0143");
});

test("lists countries with their names and calling codes", () => {
  const list = countries();
  expect(list.length).toBeGreaterThan(200);
  expect(list.find(({ value }) => value === "ES")?.label).toBe("Spain +34");
});

test("a number that the server knows is called and written as it is abroad", () => {
  const phone = { country: "GB", phoneNumber: "020 7946 0018", e164: "+442079460018", international: "+44 20 7946 0018" };
  expect([phoneLink(phone), phoneText(phone)]).toEqual(["tel:+442079460018", "+44 20 7946 0018"]);
});
