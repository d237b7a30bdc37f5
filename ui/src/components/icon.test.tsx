import { readFileSync } from "node:fs";
import { render } from "@testing-library/react";
import { expect, test } from "vitest";
import { Icon } from "./icon";

test("the icons of all kinds of notifications are known", () => {
  const kinds = readFileSync("../src/features/notifications/kinds.rs", "utf8");
  const names = [...kinds.matchAll(/^ +[A-Z]\w+ = \w+, "([\w-]+)", mail: /gm)].map(([, name]) => name ?? "");
  expect(names.length).toBeGreaterThan(9);
  // A circle stands for what is unknown.
  const isUnknown = (name: string) => render(<Icon name={name} />).container.querySelector(".lucide-circle") !== null;
  expect(isUnknown("no-such-icon")).toBe(true);
  expect(names.filter(isUnknown)).toEqual([]);
});
