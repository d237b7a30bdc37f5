import { expect, it } from "vitest";
import { markMatches, match } from "./match";

const shown = (pieces: { text: string; hit: boolean }[] | undefined) => pieces?.map(({ text, hit }) => (hit ? `[${text}]` : text)).join("");

it("marks matching letters regardless of accents and case", () => {
  expect(shown(markMatches("José Ñúñez", "nunez jo"))).toBe("[Jo]sé [Ñúñez]");
  expect(shown(markMatches("Straße 5", "STRASSE"))).toBe("Straße 5");
  expect(shown(markMatches("Annual plan, annex", "ann"))).toBe("[Ann]ual plan, annex");
  expect(shown(markMatches("Handbook", "book"))).toBe("Hand[book]");
  expect(shown(markMatches("Handbook", ""))).toBe("Handbook");
  expect(shown(markMatches("👩‍🚀 Ana", "ana"))).toBe("👩‍🚀 [Ana]");
});

it("marks numbers that are written with other separators", () => {
  expect(shown(markMatches("+34 600 555-012", "600555"))).toBe("+34 [600] [555]-012");
  expect(shown(markMatches("+34 600 555-012", "+34600"))).toBe("+[34] [600] 555-012");
  expect(shown(markMatches("12 rooms, 34 beds", "1234"))).toBe("12 rooms, 34 beds");
  expect(shown(markMatches("+34 600", "()-"))).toBe("+34 600");
});

it("matches a command by prefixes, parts and abbreviations of its words", () => {
  expect(shown(match("Configuración", "configuracion")?.pieces)).toBe("[Configuración]");
  expect(shown(match("Go to Customers", "cust")?.pieces)).toBe("Go to [Cust]omers");
  expect(shown(match("New customer", "nw cst")?.pieces)).toBe("[N]e[w] [c]u[st]omer");
  expect(match("Customers", "tasks")).toBeUndefined();
  expect(match("Customers", "cu xx")).toBeUndefined();
  expect(match("Lime", "scheme", "Color scheme")).toBeDefined();
});

it("ranks prefixes above inner matches, and those above scattered letters", () => {
  const scores = ["Tasks", "Multitask", "The last skill"].map((text) => match(text, "task")?.score ?? -1);
  expect(scores[0]).toBeGreaterThan(scores[1] ?? 0);
  expect(scores[1]).toBeGreaterThan(scores[2] ?? 0);
});
