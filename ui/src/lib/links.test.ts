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
  it.each([...paths, ...addresses])("%j is a safe link", (link) => expect(isSafeLink(link)).toBe(true));
  it.each(evil)("%j is not a safe link", (link) => {
    expect(isSafeLink(link)).toBe(false);
    expect(isInAppPath(link)).toBe(false);
  });
  it.each(paths)("%j is an in-app path", (link) => expect(isInAppPath(link)).toBe(true));
  it.each(addresses)("%j is not an in-app path", (link) => expect(isInAppPath(link)).toBe(false));
});

/** Sixty redirect targets that must be refused after sign-in. */
const hostile = [
  ...["https://evil.example", "http://evil.example", "HTTPS://evil.example", "https:evil.example", "https:/evil.example"],
  ...["https:///evil.example", "http:\\\\evil.example", "https://acme.example@evil.example", "https://acme.example.evil.example"],
  ...["//evil.example", "///evil.example", "////evil.example", "//evil.example/%2f..", "//acme.example@evil.example"],
  ...["/\\evil.example", "\\/evil.example", "\\\\evil.example", "/\\/evil.example", "\\evil.example", "/\\\\evil.example"],
  ...[
    "/\t/evil.example",
    "/\n/evil.example",
    "/\r/evil.example",
    "\t//evil.example",
    "\n//evil.example",
    " //evil.example",
    "/\u0000/evil.example",
  ],
  ...["/a\\..\\..\\evil", "/a\u0007b", "/a\u007fb", "/\u001f/evil.example", "/\u000b/evil.example", "/\u000c/evil.example"],
  ...[
    "javascript:alert(1)",
    "JaVaScRiPt:alert(1)",
    "java\nscript:alert(1)",
    "\tjavascript:alert(1)",
    " javascript:alert(1)",
    "javascript://%0aalert(1)",
  ],
  ...[
    "data:text/html,<script>alert(1)</script>",
    "vbscript:x",
    "blob:https://x/1",
    "file:///etc/passwd",
    "ftp://evil.example",
    "about:blank",
  ],
  ...[
    "mailto:ada@acme.example",
    "tel:+34555010203",
    "ws://evil.example",
    "evil.example",
    "www.evil.example/path",
    "?redirectURL=//evil.example",
  ],
  ...[
    "#//evil.example",
    ".",
    "..",
    "./evil",
    "../evil",
    "",
    " ",
    "%2F%2Fevil.example",
    "%5C%5Cevil.example",
    "@evil.example",
    ":80",
    "evil.example:80/x",
  ],
  ...["/sign-in", "/sign-out", "/sign-up#x", "/sign-in?redirectURL=/x", "/unlock-session?redirectURL=/x"],
];

describe("redirectURL", () => {
  it("is tested with at least sixty hostile values", () => expect(new Set(hostile).size).toBeGreaterThanOrEqual(60));
  it.each([...evil, ...addresses, ...hostile, null])("%j redirects to the dashboard", (wanted) => {
    expect(safeRedirect(wanted)).toBe("/dashboard");
  });
  it("redirects to an in-app path", () => {
    expect(safeRedirect("/tasks/1?x=1#y")).toBe("/tasks/1?x=1#y");
    expect(safeRedirect("/sign-inwards")).toBe("/sign-inwards");
  });
});
