import type { RouteObject } from "react-router";

/**
 * Turns a screen that fails to load into an error page: without content from the route, the router leaves the page
 * blank.
 */
export function withErrorPages(routes: RouteObject[]): RouteObject[] {
  return routes.map((route) => {
    const loads = route.lazy && !route.loader && !(typeof route.lazy === "object" && route.lazy.loader);
    return {
      ...route,
      ...(loads && { loader: () => null }),
      ...(route.children && { children: withErrorPages(route.children) }),
    } as RouteObject;
  });
}
