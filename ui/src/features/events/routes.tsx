import type { RouteObject } from "react-router";

export const eventsRoutes: RouteObject[] = [];
