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
function preloadLate() {
  const next = () => {
    const load = waiting.shift();
    if (load) idle(() => void load().then(next, next));
  };
  next();
}

/** Does so at the first sign of a person: a pointer that moves, a finger, a key. */
export function preloadLateOnTouch(): () => void {
  const signs = ["pointermove", "pointerdown", "keydown"] as const;
  const stop = () => {
    for (const sign of signs) removeEventListener(sign, go);
  };
  const go = () => {
    stop();
    preloadLate();
  };
  for (const sign of signs) addEventListener(sign, go, { passive: true });
  return stop;
}

function idle(run: () => void) {
  if ("requestIdleCallback" in window) requestIdleCallback(run, { timeout: 3000 });
  else setTimeout(run, 300);
}
