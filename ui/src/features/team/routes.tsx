import type { RouteObject } from "react-router";

export const teamRoutes: RouteObject[] = [];
