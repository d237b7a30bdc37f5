import { useSyncExternalStore } from "react";

/** Breakpoints in pixels; the same as in `theme/tokens.css`. */
export const breakpoints = { sm: 600, md: 960, lg: 1280, xl: 1440 } as const;
type Breakpoint = keyof typeof breakpoints;

/** Whether the window is at least that wide, updated when it changes. */
export function useAtLeast(name: Breakpoint): boolean {
  const query = `(min-width: ${breakpoints[name]}px)`;
  return useSyncExternalStore(
    (changed) => {
      const list = matchMedia(query);
      list.addEventListener("change", changed);
      return () => list.removeEventListener("change", changed);
    },
    () => matchMedia(query).matches,
  );
}
