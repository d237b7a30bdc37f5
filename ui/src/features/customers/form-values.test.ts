import { expect, test } from "vitest";
import type { Customer } from "@/api/schema";
import { fieldOf, toInput, toValues } from "./form-values";

const hollis: Customer = {
  id: "c1",
  version: 3,
  createdAt: "2026-11-01T10:00:00Z",
  updatedAt: "2026-11-02T10:00:00Z",
  name: "Hollis Reed",
  status: "lead",
  tags: ["referral"],
  details: {
    emails: [{ email: "hollis@reed.example", label: "Work" }],
    phoneNumbers: [{ country: "US", phoneNumber: "202 555 0143", label: "" }],
    company: "Reed & Daughters",
  },
  attachments: { media: [], docs: [], links: [] },
  fields: {},
};

test("converting a customer to form values and back changes nothing", () => {
  const input = toInput(toValues(hollis, "US"));
  expect(input.name).toBe("Hollis Reed");
  expect(input.details?.company).toBe("Reed & Daughters");
  expect(input.details?.emails).toEqual([{ email: "hollis@reed.example", label: "Work" }]);
  expect(input.details?.phoneNumbers).toEqual([{ country: "US", phoneNumber: "202 555 0143", label: "" }]);
});

test("an emptied field is null", () => {
  const values = { ...toValues(hollis, "US"), company: " ", ownerId: null };
  expect(toInput(values).details?.company).toBeNull();
  expect(toInput(values).ownerId).toBeNull();
});

test("sends the organization without its name, and the text without one", () => {
  const linked = toInput(toValues({ ...hollis, organizationId: "o1" }, "US"));
  expect(linked.organizationId).toBe("o1");
  expect(linked.details).not.toHaveProperty("company");
  expect(toInput(toValues(hollis, "US"))).toMatchObject({ organizationId: null, details: { company: "Reed & Daughters" } });
});

test("omits empty email and phone rows", () => {
  const values = { ...toValues(undefined, "ES"), name: "Ana" };
  expect(toInput(values).details?.emails).toEqual([]);
  expect(toInput(values).details?.phoneNumbers).toEqual([]);
});

test("maps a server error to the form row it belongs to", () => {
  const values = {
    ...toValues(hollis, "US"),
    emails: [
      { email: "", label: "" },
      { email: "x", label: "" },
    ],
  };
  expect(fieldOf("details.emails.0.email", values)).toBe("emails.1.email");
  expect(fieldOf("details.emails[0].email", values)).toBe("emails.1.email");
  expect(fieldOf("details.company", values)).toBe("company");
  expect(fieldOf("organizationId", values)).toBe("company");
  expect(fieldOf("name", values)).toBe("name");
  expect(fieldOf("nothing", values)).toBeUndefined();
});
