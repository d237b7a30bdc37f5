import type { RouteObject } from "react-router";
import { expect, it } from "vitest";
import { routes } from "./routes";

const all = (list: RouteObject[]): RouteObject[] => list.flatMap((route) => [route, ...all(route.children ?? [])]);

it("shares no way to load a screen between routes, because the router empties it for the first", () => {
  const ways = all(routes).flatMap(({ lazy }) => (typeof lazy === "object" ? [lazy] : []));
  expect(ways.length).toBeGreaterThan(20);
  expect(new Set(ways).size).toBe(ways.length);
});
