import { expect, test } from "vitest";
import type { Customer } from "@/api/schema";
import { fullerRecord, isSame, mergeFields, toChoice, usualChoice } from "./merge-fields";

const base: Customer = {
  id: "a",
  version: 1,
  createdAt: "2026-01-01T10:00:00Z",
  updatedAt: "2026-01-01T10:00:00Z",
  name: "Ana",
  status: "lead",
  tags: ["vip"],
  details: { emails: [{ email: "ana@sol.example", label: "Work" }], phoneNumbers: [] },
  attachments: { media: [], docs: [], links: [] },
  fields: {},
};
const fields = mergeFields("customer", [], { label: "ui.duplicates.externalId", type: "text" });
const field = (path: string) => {
  const found = fields.find(({ paths }) => paths.includes(path));
  if (!found) throw new Error(path);
  return found;
};

test("every field that the server merges is there once; what is chosen together is one", () => {
  expect(fields.flatMap(({ paths }) => paths).sort()).toEqual(
    [
      ["name", "avatar", "background", "about", "status", "tags", "ownerId", "notes", "organizationId", "externalId"],
      ["emails", "phoneNumbers", "title", "company", "birthday", "address"].map((part) => `details.${part}`),
      ["media", "docs", "links"].map((part) => `attachments.${part}`),
    ]
      .flat()
      .sort(),
  );
  expect(field("details.company").paths).toEqual(["organizationId", "details.company"]);
  expect(field("attachments.docs").paths).toHaveLength(3);
  const own = mergeFields("organization", [], { label: "ui.duplicates.externalId", type: "text" });
  expect(own.flatMap(({ paths }) => paths).sort()).toEqual(
    ["name", "logo", "about", "tags", "ownerId", "emails", "phoneNumbers", "website", "address", "externalId"].sort(),
  );
});

test("lists and notes are united, other values stay, and an empty one is filled", () => {
  const other: Customer = { ...base, id: "b", tags: ["sol"], notes: "<p>b</p>", about: "Tall", ownerId: "m2" };
  const kept: Customer = { ...base, notes: "<p>a</p>", ownerId: "m1" };
  expect(usualChoice(field("tags"), kept, other)).toBe("both");
  expect(usualChoice(field("notes"), kept, other)).toBe("both");
  expect(usualChoice(field("ownerId"), kept, other)).toBe("a");
  expect(usualChoice(field("about"), kept, other)).toBe("b");
  expect([toChoice("both", kept), toChoice("a", kept), toChoice("b", kept)]).toEqual(["both", "keep", "take"]);
  expect(field("notes").unite?.("<p>a</p>", "<p>b</p>")).toBe("<p>a</p><p>b</p>");
  const emails = [
    { email: "ANA@sol.example", label: "" },
    { email: "b@sol.example", label: "" },
  ];
  expect(field("details.emails").unite?.(base.details.emails, emails)).toEqual([...base.details.emails, emails[1]]);
});

test("the order of a list and an empty label make no difference", () => {
  const emails = [
    { email: "b@sol.example", label: "" },
    { email: "ana@sol.example", label: "Work" },
  ];
  const one: Customer = { ...base, details: { ...base.details, emails: [...base.details.emails, { email: "b@sol.example", label: "" }] } };
  expect(isSame(field("details.emails"), one, { ...base, details: { ...base.details, emails } })).toBe(true);
  expect(isSame(field("details.emails"), one, base)).toBe(false);
  const linked: Customer = { ...base, organizationId: "o1", details: { ...base.details, company: "Sol" } };
  expect(isSame(field("details.company"), linked, { ...linked, organizationId: "o2" })).toBe(false);
});

test("the record with more values is kept, of equal ones the older one", () => {
  const newer: Customer = { ...base, id: "b", createdAt: "2026-02-01T10:00:00Z" };
  expect(fullerRecord(fields, newer, base)).toBe(base);
  const fuller = { ...newer, about: "Tall" };
  expect(fullerRecord(fields, base, fuller)).toBe(fuller);
});
