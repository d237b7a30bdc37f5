import { type RouteObject, redirect } from "react-router";
import { helpHome } from "@/lib/links";

const to = (path: string) => () => redirect(path);

/** The help, and the paths that sample data use for its screens. */
export const helpRoutes: RouteObject[] = [
  { path: "apps/help-center", lazy: { Component: async () => (await import("./help-page")).HelpPage } },
  { path: "docs/guides/*", lazy: { Component: async () => (await import("./guide-page")).GuidePage } },
  { path: "docs/changelog", lazy: { Component: async () => (await import("./changelog-page")).ChangelogPage } },
  { path: "docs/*", loader: to(helpHome) },
  { path: "apps/contacts/*", loader: to("/customers") },
  { path: "apps/tasks/*", loader: to("/tasks") },
  { path: "apps/mailbox/*", loader: to("/messages") },
];
