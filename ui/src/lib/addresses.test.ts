import { expect, it } from "vitest";
import { endsAddress, isAddress, parseAddresses } from "./addresses";

const emails = (text: string) => parseAddresses(text).map(({ email }) => email);

it("finds addresses in every pasted format", () => {
  expect(emails("a@x.example, b@x.example;c@x.example\nd@x.example\te@x.example f@x.example")).toEqual(
    ["a", "b", "c", "d", "e", "f"].map((name) => `${name}@x.example`),
  );
  expect(emails('Ana García <Ana@x.example>, "Núñez, José" <jose@x.example>; <li@x.example>')).toEqual([
    "ana@x.example",
    "jose@x.example",
    "li@x.example",
  ]);
  expect(emails("a@x.example Bob <b@x.example>")).toEqual(["a@x.example", "b@x.example"]);
  expect(emails("mailto:a@x.example")).toEqual(["a@x.example"]);
});

it("keeps the names that stand before addresses", () => {
  const pasted =
    'Ana  García <Ana@x.example>, "Núñez, José" <jose@x.example>; <li@x.example> a@x.example Bob <b@x.example> Nobody <nobody>';
  expect(parseAddresses(pasted).map(({ email, name }) => [email, name])).toEqual([
    ["ana@x.example", "Ana García"],
    ["jose@x.example", "Núñez, José"],
    ["li@x.example", undefined],
    ["a@x.example", undefined],
    ["b@x.example", "Bob"],
    ["nobody", undefined],
  ]);
  expect(parseAddresses(`${"x".repeat(300)} <a@x.example>`)[0]?.name).toHaveLength(200);
});

it("lists each address once, and keeps invalid ones", () => {
  expect(parseAddresses("a@x.example A@X.example nobody")).toEqual([
    { email: "a@x.example", valid: true },
    { email: "nobody", valid: false },
  ]);
  expect(parseAddresses(" ,;\n ")).toEqual([]);
});

it("distinguishes valid from invalid addresses", () => {
  for (const good of ["a@b.example", "josé+x@sub.b-c.example"]) expect(isAddress(good), good).toBe(true);
  for (const bad of ["a", "a@b", "@b.example", "a@b.", "a@@b.example", "a b@c.example", "a@b..example"])
    expect(isAddress(bad), bad).toBe(false);
});

it.each([
  ["Ben", false],
  ["Ben ", false],
  ["Ben Stone ", false],
  ["Ben Stone <ben@acme", false],
  ["Ben Stone <ben@acme.example", false],
  ['"Stone, ', false],
  ["ben@acme.example ", true],
  ["ben@acme.example,", true],
  ["Ben Stone <ben@acme.example> ", true],
  ["Ben Stone <ben@acme.example>;", true],
])("the typed text %j ends with a complete address: %s", (text, whole) => expect(endsAddress(text)).toBe(whole));
