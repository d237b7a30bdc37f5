import type { RouteObject } from "react-router";

export const customersRoutes: RouteObject[] = [];
