import type { RouteObject } from "react-router";

export const pagesRoutes: RouteObject[] = [
  { path: "pages/list", lazy: { Component: async () => (await import("./pages-list")).PagesList } },
  {
    path: "pages",
    lazy: { Component: async () => (await import("./pages-page")).PagesPage },
    children: [
      { index: true, lazy: { Component: async () => (await import("./pages-overview")).PagesOverview } },
      { path: ":id", lazy: { Component: async () => (await import("./page-view")).PageView } },
    ],
  },
];
