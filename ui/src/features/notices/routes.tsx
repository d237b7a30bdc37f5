import type { RouteObject } from "react-router";

export const noticesRoutes: RouteObject[] = [
  { path: "messages", lazy: { Component: async () => (await import("./notices-page")).MessagesPage } },
  { path: "messages/sent/:id?", lazy: { Component: async () => (await import("./sent/sent-page")).SentPage } },
  { path: "notifications", lazy: { Component: async () => (await import("./notices-page")).NotificationsPage } },
];
