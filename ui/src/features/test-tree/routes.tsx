import type { RouteObject } from "react-router";

export const testTreeRoutes: RouteObject[] = [
  { path: "test", lazy: { Component: async () => (await import("./test-tree-page")).TestTreePage } },
];
