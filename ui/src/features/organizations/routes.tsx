import type { RouteObject } from "react-router";

export const organizationsRoutes: RouteObject[] = [
  {
    path: "customers/organizations",
    lazy: { Component: async () => (await import("./organizations-page")).OrganizationsPage },
    children: [
      { path: "new", lazy: { Component: async () => (await import("./organization-drawer")).NewOrganizationDrawer } },
      { path: ":id", lazy: { Component: async () => (await import("./organization-drawer")).OrganizationDrawer } },
    ],
  },
];
