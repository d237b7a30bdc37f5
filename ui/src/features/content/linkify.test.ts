import { expect, it } from "vitest";
import { linkify } from "./linkify";

const links = (text: string) => linkify(text).flatMap(({ link }) => link ?? []);

it("links web and mailto addresses without the punctuation that follows", () => {
  expect(links("See https://example.com/a?b=c#d, and (http://example.org/x_(y)).")).toEqual([
    "https://example.com/a?b=c#d",
    "http://example.org/x_(y)",
  ]);
  expect(links("mailto:ana@example.com!")).toEqual(["mailto:ana@example.com"]);
  expect(links("“https://example.com/ñandú”")).toEqual(["https://example.com/ñandú"]);
});

it.each([
  "javascript:alert(1)",
  "data:text/html,x",
  "ftp://example.com/",
  "//example.com",
  "www.example.com",
  "ana@example.com",
  "tel:123",
  "https://",
  "mailto:",
  "xhttps://example.com",
  "https:\\\\example.com",
])("leaves %s as it is", (text) => {
  expect(links(text)).toEqual([]);
  expect(
    linkify(text)
      .map((piece) => piece.text)
      .join(""),
  ).toBe(text);
});

it("keeps the whole text when splitting it into pieces", () => {
  const text = "a https://x.example/,\n@Ana López: #Call https://y.example.";
  const found = linkify(text, [
    { text: "@Ana López", kind: "mention", isMe: true },
    { text: "#Call", kind: "reference" },
  ]);
  expect(found.map((piece) => piece.text).join("")).toBe(text);
  expect(found.filter(({ name }) => name).map((piece) => piece.text)).toEqual(["@Ana López", "#Call"]);
});

it("takes the longest matching name", () => {
  const found = linkify("@Ana López", [
    { text: "@Ana", kind: "mention" },
    { text: "@Ana López", kind: "mention" },
  ]);
  expect(found).toEqual([{ text: "@Ana López", name: { text: "@Ana López", kind: "mention" } }]);
});
