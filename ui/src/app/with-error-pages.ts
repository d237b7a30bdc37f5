import type { RouteObject } from "react-router";
import { DrawerError, ScreenError } from "./error-page";

/** Whether the records of a list open in drawers over it. */
const hasDrawers = ({ children }: RouteObject) => children?.some(({ path }) => path === "new") === true;

/** Puts a part of a screen into a route that shows its error: a route whose code is not there cannot show its own. */
function inOwnPlace(part: RouteObject, screen: RouteObject): RouteObject {
  const isDrawer = hasDrawers(screen) && (part.path === "new" || part.path === ":id");
  return { ErrorBoundary: isDrawer ? DrawerError : ScreenError, children: [part] };
}

/**
 * Turns a screen that fails to load into an error page: without content from the route, the router leaves the page
 * blank. A part that fails, such as a drawer over a list, leaves the screen that it is a part of. `screen` is that screen.
 */
export function withErrorPages(routes: RouteObject[], screen?: RouteObject): RouteObject[] {
  return routes.map((route) => {
    const loads = route.lazy && !route.loader && !(typeof route.lazy === "object" && route.lazy.loader);
    const isScreen = route.lazy && route.id !== "shell";
    const shown = {
      ...route,
      ...(loads && { loader: () => null }),
      ...(route.children && { children: withErrorPages(route.children, isScreen ? route : screen) }),
    } as RouteObject;
    return route.lazy && screen ? inOwnPlace(shown, screen) : shown;
  });
}
