import { expect, it } from "vitest";
import {
  calendarDay,
  flag,
  listCursor,
  occurrenceStart,
  oneOf,
  pageNumber,
  readSearchParams,
  recordId,
  searchText,
  textUpTo,
} from "./search-params";

const parsers = { q: searchText, status: oneOf(["lead", "active"]), owner: recordId, page: pageNumber };
const read = (query: string) => readSearchParams(new URLSearchParams(query), parsers);

it("reads the parameters that have a parser", () => {
  expect(read("q=ana&status=lead&owner=m1&page=3&other=x")).toEqual({ q: "ana", status: "lead", owner: "m1", page: 3 });
});

it("treats values that are not allowed as absent", () => {
  const absent = { q: undefined, status: undefined, owner: undefined, page: undefined };
  expect(read("")).toEqual(absent);
  expect(read("q=&status=Lead&owner=../team&page=0")).toEqual(absent);
  expect(read("status=toString&owner=a%20b&page=1.5")).toEqual(absent);
});

it("uses the first value of a parameter that appears twice", () => {
  expect(read("status=active&status=lead").status).toBe("active");
});

it("accepts numbers from a list", () => {
  const period = oneOf([30, 90]);
  expect(period("90")).toBe(90);
  expect(period("90.0")).toBeUndefined();
  expect(period("365")).toBeUndefined();
});

it("cuts texts at their limit", () => {
  expect(textUpTo(3)("abcd")).toBe("abc");
  expect(searchText("x".repeat(300))).toHaveLength(256);
});

it("accepts days and starts of occurrences", () => {
  expect(calendarDay("2026-12-31")).toBe("2026-12-31");
  for (const text of ["2026-13-01", "31.12.2026", "2026-12-31T00:00:00Z", ""]) expect(calendarDay(text)).toBeUndefined();
  for (const text of ["2026-12-31", "2026-12-31T09:00:00.000Z", "2026-12-31T09:00:00Z"]) expect(occurrenceStart(text)).toBe(text);
  expect(occurrenceStart("2026-12-31&x")).toBeUndefined();
});

it("accepts cursors and switches", () => {
  expect(listCursor("00ff")).toBe("00ff");
  expect(listCursor("00 ff")).toBeUndefined();
  expect(flag("1")).toBe(true);
  expect(flag("true")).toBeUndefined();
});
