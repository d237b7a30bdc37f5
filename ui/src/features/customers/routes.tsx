import type { RouteObject } from "react-router";

export const customersRoutes: RouteObject[] = [
  {
    path: "customers",
    lazy: { Component: async () => (await import("./customers-page")).CustomersPage },
    children: [
      { path: "new", lazy: { Component: async () => (await import("./customer-drawer")).NewCustomerDrawer } },
      { path: ":id", lazy: { Component: async () => (await import("./customer-drawer")).CustomerDrawer } },
    ],
  },
];
