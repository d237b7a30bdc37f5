import { type ComponentType, lazy } from "react";

const waiting: (() => Promise<unknown>)[] = [];

/**
 * A part that is only needed once somebody asks for it: it stays out of the first load, and comes
 * when the browser is idle, so that a press answers at once.
 */
export function late<P extends object>(load: () => Promise<{ default: ComponentType<P> }>) {
  waiting.push(load);
  return lazy(load);
}

/** Fetches all late parts, one after the other, when there is nothing better to do. */
export function preloadLate() {
  const next = () => {
    const load = waiting.shift();
    if (load) idle(() => void load().then(next, next));
  };
  next();
}

function idle(run: () => void) {
  if ("requestIdleCallback" in window) requestIdleCallback(run, { timeout: 3000 });
  else setTimeout(run, 300);
}
