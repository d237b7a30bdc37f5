import { describe, expect, it } from "vitest";
import { chooseLayout, type LayoutSources, layouts } from "./layout";

it("defaults to modern when no source names a known layout", () => {
  expect(chooseLayout({})).toBe("modern");
  expect(chooseLayout({ company: "baroque", member: "gothic", query: "", routes: [undefined, "rococo"] })).toBe("modern");
});

it.each(layouts)("can be set to %s by each of the four sources", (name) => {
  for (const source of [{ company: name }, { member: name }, { query: name }, { routes: [name] }]) {
    expect(chooseLayout(source)).toBe(name);
  }
});

describe("the last source that names a layout decides", () => {
  const inOrder = [{ company: "classic" }, { member: "dense" }, { query: "thin" }, { routes: ["empty"] }] as const;
  const combinations = Array.from({ length: 16 }, (_, bits) => inOrder.filter((_source, at) => bits & (1 << at)));
  it.each(combinations.filter((one) => one.length > 0).map((one) => [one.map((source) => Object.keys(source)[0]).join(", "), one]))(
    "%s",
    (_names, said) => {
      const sources: LayoutSources = Object.assign({}, ...(said as object[]));
      const last = Object.values(said.at(-1) as object).flat()[0];
      expect(chooseLayout(sources)).toBe(last);
    },
  );
});

it("uses the innermost route that names a layout, and skips unknown names", () => {
  expect(chooseLayout({ routes: ["classic", undefined, "empty", undefined] })).toBe("empty");
  expect(chooseLayout({ company: "classic", member: null, query: "nothing", routes: [undefined] })).toBe("classic");
});
