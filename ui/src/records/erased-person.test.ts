import { expect, test } from "vitest";
import "@/test/render";
import { withErasedPeople } from "./erased-person";

test("erased people are named in the language of the reader", () => {
  expect(withErasedPeople("[erased person]")).toBe("deleted person");
  expect(withErasedPeople("Ask [erased person] and [erased person]")).toBe("Ask deleted person and deleted person");
  expect(withErasedPeople("Ana [erased]")).toBe("Ana [erased]");
});
