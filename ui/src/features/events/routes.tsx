import type { RouteObject } from "react-router";

export const eventsRoutes: RouteObject[] = [
  {
    path: "events",
    lazy: { Component: async () => (await import("./events-page")).EventsPage },
    children: [
      { path: "new", lazy: { Component: async () => (await import("./event-drawer")).NewEventDrawer } },
      { path: ":id", lazy: { Component: async () => (await import("./event-drawer")).EventDrawer } },
    ],
  },
];
