import type { RouteObject } from "react-router";

const project = { Component: async () => (await import("./project-page")).ProjectPage };

export const dashboardRoutes: RouteObject[] = [
  {
    lazy: { Component: async () => (await import("./dashboard-frame")).DashboardFrame },
    children: [
      { path: "dashboard", lazy: project },
      { path: "dashboards/project", lazy: project },
      { path: "dashboards/analytics", lazy: { Component: async () => (await import("./analytics-page")).AnalyticsPage } },
    ],
  },
];
