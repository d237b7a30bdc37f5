import type { RouteObject } from "react-router";

/** Where a second factor is set up by who may do nothing else before. */
export const securityRoutes: RouteObject[] = [
  { path: "secure-account", lazy: { Component: async () => (await import("./enrol-page")).EnrolPage } },
];
