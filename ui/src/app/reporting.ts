import type { RouteObject } from "react-router";

/** Makes a screen that cannot be fetched an error to show: where a route loads nothing, the router leaves the page blank. */
export function reporting(routes: RouteObject[]): RouteObject[] {
  return routes.map((route) => {
    const loads = route.lazy && !route.loader && !(typeof route.lazy === "object" && route.lazy.loader);
    return {
      ...route,
      ...(loads && { loader: () => null }),
      ...(route.children && { children: reporting(route.children) }),
    } as RouteObject;
  });
}
