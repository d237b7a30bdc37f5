import { expect, test } from "vitest";
import type { Deal } from "@/api/schema";
import { landingPlace } from "./landing-place";

const make = (id: string, more: Partial<Deal>): Deal => ({
  id,
  version: 1,
  createdAt: "",
  updatedAt: "",
  title: id,
  stageId: "new",
  outcome: "open",
  tags: [],
  fields: {},
  visibility: { to: "company", people: [] },
  ...more,
});
const eur = (amount: number) => ({ value: { amount, currency: "EUR" } });

test("a deal lands where its value belongs, and behind those with the same one", () => {
  const cards = [make("a", { expectedDay: "2026-11-02" }), make("b", { expectedDay: "2026-11-05" }), make("c", {})];
  expect(landingPlace(make("x", { expectedDay: "2026-11-01" }), cards, "expectedDay")).toBe(0);
  expect(landingPlace(make("x", { expectedDay: "2026-11-05" }), cards, undefined)).toBe(2);
  expect(landingPlace(make("x", { expectedDay: "2026-11-03" }), [...cards.slice(0, 2)].reverse(), "-expectedDay")).toBe(1);
});

test("deals without a value are last in both directions", () => {
  const cards = [make("a", eur(100)), make("b", {})];
  expect(landingPlace(make("x", {}), cards, "value")).toBe(2);
  expect(landingPlace(make("x", {}), cards, "-value")).toBe(2);
});

test("amounts are compared within their currency, and custom fields by their values", () => {
  const cards = [make("a", eur(900)), make("b", { value: { amount: 5, currency: "USD" } })];
  expect(landingPlace(make("x", eur(1000)), cards, "value")).toBe(1);
  expect(landingPlace(make("x", { fields: { size: 2 } }), [make("a", { fields: { size: 10 } })], "fields.size")).toBe(0);
});
