import { type RouteObject, redirect } from "react-router";

export const importsRoutes: RouteObject[] = [
  { path: "imports", loader: () => redirect("/settings/data/imports") },
  { path: "imports/new", lazy: { Component: async () => (await import("./new-import-page")).NewImportPage } },
  { path: "imports/:id", lazy: { Component: async () => (await import("./import-page")).ImportPage } },
];
