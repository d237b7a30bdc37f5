import { expect, it } from "vitest";
import { chooseLayout } from "./layout";

it("is modern where nothing is said", () => {
  expect(chooseLayout({})).toBe("modern");
  expect(chooseLayout({ company: "baroque", query: "" })).toBe("modern");
});

it("goes from the configuration over the query parameter to the route", () => {
  expect(chooseLayout({ company: "classic" })).toBe("classic");
  expect(chooseLayout({ company: "classic", member: "dense" })).toBe("dense");
  expect(chooseLayout({ company: "classic", member: "dense", query: "thin" })).toBe("thin");
  expect(chooseLayout({ company: "classic", query: "thin", routes: [undefined, "empty"] })).toBe("empty");
});
