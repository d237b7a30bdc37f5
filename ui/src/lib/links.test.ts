import { describe, expect, it } from "vitest";
import { isInAppPath, isSafeLink, safeRedirect } from "./links";

const paths = ["/", "/tasks", "/tasks/1?x=1#y", "/a//b", "/%2F%2Fevil.example", "/@evil.example"];
const addresses = ["https://example.com", "http://example.com/x?y#z", "mailto:ada@acme.example", "tel:+34555010203"];
const evil = [
  "",
  " ",
  "//evil.example",
  "///evil.example",
  "/\\evil.example",
  "\\\\evil.example",
  "/\t/evil.example",
  "/\n/evil.example",
  "javascript:alert(1)",
  "JaVaScRiPt:alert(1)",
  "java\nscript:alert(1)",
  "\tjavascript:alert(1)",
  " javascript:alert(1)",
  "data:text/html,<script>alert(1)</script>",
  "vbscript:x",
  "blob:https://x/1",
  "file:///etc/passwd",
  "https:evil.example",
  "https:/evil.example",
  "http://",
  "\u0000/x",
  "ftp://x",
];

describe("links", () => {
  it.each([...paths, ...addresses])("%j may be followed", (link) => expect(isSafeLink(link)).toBe(true));
  it.each(evil)("%j may not", (link) => {
    expect(isSafeLink(link)).toBe(false);
    expect(isInAppPath(link)).toBe(false);
  });
  it.each(paths)("%j stays within the application", (link) => expect(isInAppPath(link)).toBe(true));
  it.each(addresses)("%j does not", (link) => expect(isInAppPath(link)).toBe(false));
});

describe("redirectURL", () => {
  it.each([...evil, ...addresses, null, "/sign-in", "/sign-out", "/sign-in?redirectURL=/x"])("%j leads to the dashboard", (wanted) => {
    expect(safeRedirect(wanted)).toBe("/dashboard");
  });
  it("leads to a path of our own", () => {
    expect(safeRedirect("/tasks/1?x=1#y")).toBe("/tasks/1?x=1#y");
    expect(safeRedirect("/sign-inwards")).toBe("/sign-inwards");
  });
});
