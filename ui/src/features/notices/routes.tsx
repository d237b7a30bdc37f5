import type { RouteObject } from "react-router";

export const noticesRoutes: RouteObject[] = [
  { path: "messages", lazy: { Component: async () => (await import("./notices-page")).MessagesPage } },
  { path: "notifications", lazy: { Component: async () => (await import("./notices-page")).NotificationsPage } },
];
