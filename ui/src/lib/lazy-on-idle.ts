import { type ComponentType, lazy } from "react";

const notLoaded: (() => Promise<unknown>)[] = [];
/** Milliseconds before each retry to load a chunk. */
const retryDelaysMs = [500, 2_000, 5_000];

/**
 * Creates a lazy component that is not part of the first load. It loads when the browser is idle, so that a press
 * responds at once. While the connection is lost, the screen stays unchanged.
 */
export function lazyOnIdle<P extends object>(load: () => Promise<{ default: ComponentType<P> }>) {
  notLoaded.push(load);
  return lazy(() => loadWithRetries(load));
}

async function loadWithRetries<T>(load: () => Promise<T>): Promise<T> {
  for (const pause of retryDelaysMs) {
    try {
      return await load();
    } catch {
      await online();
      await new Promise((done) => setTimeout(done, pause));
    }
  }
  return load();
}

/** Resolves once the browser is online. */
async function online() {
  if (!navigator.onLine) await new Promise((done) => addEventListener("online", done, { once: true }));
}

/** Loads all lazy components one after the other while the browser is idle. */
function preloadAll() {
  const next = () => {
    const load = notLoaded.shift();
    if (load) idle(() => void load().then(next, next));
  };
  next();
}

/** Starts the preload at the first input: a moved pointer, a touch or a key. */
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
