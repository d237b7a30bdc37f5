import type { RouteObject } from "react-router";

/** The page that sets up a required second factor. */
export const securityRoutes: RouteObject[] = [
  { path: "secure-account", lazy: { Component: async () => (await import("./enrol-page")).EnrolPage } },
];
