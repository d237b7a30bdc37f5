import { expect, it } from "vitest";
import { formatFilter, parseFilter } from "./filters";

it("reads and writes filters as the server does", () => {
  for (const [text, filter] of [
    ["status:is:lead,active", { column: "status", operator: "is", values: ["lead", "active"] }],
    ["fields.budget:gte:EUR 100000", { column: "fields.budget", operator: "gte", values: ["EUR 100000"] }],
    ["fields.budget:empty", { column: "fields.budget", operator: "empty", values: [] }],
    ["company:contains:a:b", { column: "company", operator: "contains", values: ["a:b"] }],
    ["name:is:two\nlines", { column: "name", operator: "is", values: ["two\nlines"] }],
    ["name:is:😀", { column: "name", operator: "is", values: ["😀"] }],
  ] as const) {
    expect(parseFilter(text)).toEqual(filter);
    expect(formatFilter({ ...filter, values: [...filter.values] })).toBe(text);
  }
});

it("escapes commas and backslashes in values", () => {
  const values = ["a,b", "c\\d", "\\", ",", "\\,", "plain"];
  const text = formatFilter({ column: "tags", operator: "is", values });
  expect(text).toBe("tags:is:a\\,b,c\\\\d,\\\\,\\,,\\\\\\,,plain");
  expect(parseFilter(text)?.values).toEqual(values);
});

it("rejects what is not written as a filter", () => {
  for (const text of [
    "",
    "status",
    "status:is",
    "status:is:",
    "status:is:a,",
    "status:IS:a",
    "status:like:a",
    ":is:a",
    "status:empty:x",
    "a:set:",
  ])
    expect(parseFilter(text)).toBeUndefined();
});
