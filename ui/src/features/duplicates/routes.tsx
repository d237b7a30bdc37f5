import type { RouteObject } from "react-router";

export const duplicatesRoutes: RouteObject[] = [
  {
    path: "customers/duplicates",
    lazy: { Component: async () => (await import("./duplicates-page")).DuplicatesPage },
  },
];
