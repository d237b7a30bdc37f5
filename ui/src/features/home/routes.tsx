import type { RouteObject } from "react-router";

export const homeRoutes: RouteObject[] = [{ path: "home", lazy: { Component: async () => (await import("./home-page")).HomePage } }];
