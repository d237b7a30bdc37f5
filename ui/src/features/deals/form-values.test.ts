import { expect, test } from "vitest";
import { makeDeal } from "@/test/deals";
import { toInput, toValues } from "./form-values";

test("a deal that is not changed is sent as it is", () => {
  const deal = makeDeal("d1", "Rugs", {
    customerId: "c1",
    organizationId: "o1",
    value: { amount: 125_000, currency: "EUR" },
    expectedDay: "2026-12-15",
    ownerId: "u1",
    outcome: "lost",
    reasonId: "price",
    reason: "Half as much elsewhere.",
    tags: ["hotel"],
    about: "Two floors.",
    visibility: { to: "people", people: ["u2"] },
  });
  const { id: _id, version: _version, createdAt: _created, updatedAt: _updated, createdBy: _by, fields: _fields, ...own } = deal;
  expect(toInput(toValues(deal))).toEqual(own);
});

test("empty fields are null, and a new deal without a stage begins in the first one", () => {
  expect(toInput({ ...toValues(undefined), title: " Rugs " })).toEqual({
    title: "Rugs",
    customerId: null,
    organizationId: null,
    value: null,
    expectedDay: null,
    ownerId: null,
    outcome: "open",
    reasonId: null,
    reason: null,
    tags: [],
    about: null,
    visibility: { to: "company", people: [] },
  });
});

test("an open deal has no reason", () => {
  const lost = toValues(makeDeal("d1", "Rugs", { outcome: "lost", reasonId: "price", reason: "Too dear." }));
  expect(toInput({ ...lost, outcome: "open" })).toMatchObject({ outcome: "open", reasonId: null, reason: null });
});
