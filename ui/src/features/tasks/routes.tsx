import type { RouteObject } from "react-router";

export const tasksRoutes: RouteObject[] = [
  {
    path: "tasks",
    lazy: { Component: async () => (await import("./tasks-page")).TasksPage },
    children: [
      // The line for a new task is on the page itself; the address only puts the caret there.
      { path: "new", element: null },
      { path: ":id", lazy: { Component: async () => (await import("./task-drawer")).TaskDrawer } },
    ],
  },
];
