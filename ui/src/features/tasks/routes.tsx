import type { RouteObject } from "react-router";

export const tasksRoutes: RouteObject[] = [];
