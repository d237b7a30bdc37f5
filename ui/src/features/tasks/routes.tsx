import type { RouteObject } from "react-router";

export const tasksRoutes: RouteObject[] = [
  {
    path: "tasks",
    lazy: { Component: async () => (await import("./tasks-page")).TasksPage },
    children: [
      // The field for a new task is on the page itself; this address only focuses it.
      { path: "new", element: null },
      { path: ":id", lazy: { Component: async () => (await import("./task-drawer")).TaskDrawer } },
    ],
  },
];
