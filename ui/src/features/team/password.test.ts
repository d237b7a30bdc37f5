import { expect, test } from "vitest";
import { makePassword } from "./password";

test("generated passwords are long, readable and different", () => {
  const made = new Set(Array.from({ length: 50 }, makePassword));
  expect(made.size).toBe(50);
  for (const password of made) expect(password).toMatch(/^([a-km-np-zA-HJ-NP-Z2-9]{4}-){3}[a-km-np-zA-HJ-NP-Z2-9]{4}$/);
});
