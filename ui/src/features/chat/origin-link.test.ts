import { expect, it } from "vitest";
import { originIn } from "./origin-link";

it("finds only links to a chat message of this server", () => {
  expect(originIn(`Ana wrote:\nCall them\n\n${location.origin}/chat/01a-2?message=03f-4`)).toBe("/chat/01a-2?message=03f-4");
  for (const text of [
    "",
    "https://example.com/chat/01a?message=2",
    `${location.origin}/tasks/1`,
    `${location.origin}/chat/1?message=2&x="`,
  ]) {
    expect(originIn(text)).toBeUndefined();
  }
});
