import { type RouteObject, redirect } from "react-router";

export const teamRoutes: RouteObject[] = [
  { path: "team", loader: () => redirect("/team/list") },
  { path: "team/list", lazy: { Component: async () => (await import("./team-page")).TeamPage } },
];
