import { expect, test } from "vitest";
import type { KnowledgePage } from "@/api/schema";
import { ancestors, type PageNode, places, toTree } from "./tree";

const make = (id: string, parentId: string | undefined, order: number): KnowledgePage => ({
  id,
  order,
  version: 1,
  createdAt: "",
  updatedAt: "",
  title: id,
  status: "published",
  visibility: { to: "company", people: [] },
  limited: false,
  body: "",
  fields: {},
  ...(parentId && { parentId }),
});
const pages = [
  make("b", undefined, 2),
  make("a", undefined, 1),
  make("a2", "a", 2),
  make("a1", "a", 1),
  make("a1x", "a1", 1),
  make("lost", "gone", 3),
];
const drawn = (nodes: PageNode[]): string =>
  nodes.map(({ page, children }) => page.id + (children.length > 0 ? `(${drawn(children)})` : "")).join(" ");

test("puts pages below their parents in order, and orphans at the top level", () => {
  expect(drawn(toTree(pages))).toBe("a(a1(a1x) a2) b lost");
});

test("lists ancestors from the top, and stops at a cycle", () => {
  expect(ancestors(pages, "a1x").map(({ id }) => id)).toEqual(["a", "a1"]);
  expect(ancestors([make("x", "y", 1), make("y", "x", 1)], "x").map(({ id }) => id)).toEqual(["y"]);
});

test("a page can be put anywhere but below itself", () => {
  expect(places(pages, "a1").map(({ page, depth }) => `${page.id}${depth}`)).toEqual(["a0", "a21", "b0", "lost0"]);
});
