import type { RouteObject } from "react-router";

export const dashboardRoutes: RouteObject[] = [
  {
    lazy: { Component: async () => (await import("./dashboard-frame")).DashboardFrame },
    children: [
      {
        // One screen for both paths.
        lazy: { Component: async () => (await import("./project-page")).ProjectPage },
        children: [
          { path: "dashboard", element: null },
          { path: "dashboards/project", element: null },
        ],
      },
      { path: "dashboards/analytics", lazy: { Component: async () => (await import("./analytics-page")).AnalyticsPage } },
    ],
  },
];
