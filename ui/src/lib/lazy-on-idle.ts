import { type ComponentType, lazy } from "react";

const waiting: (() => Promise<unknown>)[] = [];
/** Milliseconds before each further try to fetch a part that failed to load. */
const pauses = [500, 2_000, 5_000];

/**
 * A part that is only needed once somebody asks for it: it stays out of the first load, and comes
 * when the browser is idle, so that a press answers at once. While the connection is lost the screen stays as it is.
 */
export function lazyOnIdle<P extends object>(load: () => Promise<{ default: ComponentType<P> }>) {
  waiting.push(load);
  return lazy(() => retried(load));
}

async function retried<T>(load: () => Promise<T>): Promise<T> {
  for (const pause of pauses) {
    try {
      return await load();
    } catch {
      await online();
      await new Promise((done) => setTimeout(done, pause));
    }
  }
  return load();
}

/** Resolves once the browser has a connection. */
async function online() {
  if (!navigator.onLine) await new Promise((done) => addEventListener("online", done, { once: true }));
}

/** Fetches all lazy parts, one after the other, when there is nothing better to do. */
function preloadAll() {
  const next = () => {
    const load = waiting.shift();
    if (load) idle(() => void load().then(next, next));
  };
  next();
}

/** Does so at the first sign of a person: a pointer that moves, a finger, a key. */
export function preloadOnFirstInput(): () => void {
  const signs = ["pointermove", "pointerdown", "keydown"] as const;
  const stop = () => {
    for (const sign of signs) removeEventListener(sign, go);
  };
  const go = () => {
    stop();
    preloadAll();
  };
  for (const sign of signs) addEventListener(sign, go, { passive: true });
  return stop;
}

function idle(run: () => void) {
  if ("requestIdleCallback" in window) requestIdleCallback(run, { timeout: 3000 });
  else setTimeout(run, 300);
}
