import type { RouteObject } from "react-router";

export const guestRoutes: RouteObject[] = [
  { path: "sign-in", lazy: { Component: async () => (await import("./sign-in-route")).SignInRoute } },
];

export const signedInRoutes: RouteObject[] = [
  { path: "sign-out", lazy: { Component: async () => (await import("./sign-out-page")).SignOutPage } },
];
