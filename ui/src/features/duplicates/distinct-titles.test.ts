import { expect, test } from "vitest";
import { distinctTitles } from "./distinct-titles";

const ana = (more: object) => ({ title: "Ana Ruiz", createdAt: "2026-01-03T10:00:00Z", ...more });

test("different names are enough", () => {
  expect(distinctTitles(ana({ company: "Sol" }), { title: "Ana R." })).toEqual(["Ana Ruiz", "Ana R."]);
});

test("same names are told apart by company, email address or day of creation", () => {
  const titles = (one: object, other: object) => distinctTitles(ana(one), ana(other));
  expect(titles({ company: "Sol" }, { company: "Luna" })).toEqual(["Ana Ruiz (Sol)", "Ana Ruiz (Luna)"]);
  expect(
    titles({ company: "Sol", emails: ["a@sol.example", "b@sol.example"] }, { company: "Sol", emails: ["a@sol.example", "c@sol.example"] }),
  ).toEqual(["Ana Ruiz (b@sol.example)", "Ana Ruiz (c@sol.example)"]);
  expect(titles({ company: "Sol" }, { createdAt: "2026-02-04T10:00:00Z" })).toEqual([
    "Ana Ruiz (added Jan 3, 2026)",
    "Ana Ruiz (added Feb 4, 2026)",
  ]);
  const [one, other] = titles({}, { createdAt: "2026-01-03T11:30:00Z" });
  expect(one).toMatch(/^Ana Ruiz \(added .*2026.*\)$/);
  expect(other).not.toBe(one);
});
