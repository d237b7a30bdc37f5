import type { RouteObject } from "react-router";

export const dealsRoutes: RouteObject[] = [
  { path: "customers/deals/forecast", lazy: { Component: async () => (await import("./forecast-page")).ForecastPage } },
  {
    path: "customers/deals",
    lazy: { Component: async () => (await import("./deals-page")).DealsPage },
    children: [
      { path: "new", lazy: { Component: async () => (await import("./deal-drawer")).NewDealDrawer } },
      { path: ":id", lazy: { Component: async () => (await import("./deal-drawer")).DealDrawer } },
    ],
  },
];
