const minDelayMs = 500;
const maxDelayMs = 30_000;

/**
 * Returns the milliseconds to wait after the given number of consecutive failures: random, up to a limit that doubles
 * each time.
 */
export function backoffDelay(failures: number, chance = Math.random()): number {
  const limit = Math.min(maxDelayMs, minDelayMs * 2 ** failures);
  return minDelayMs + chance * (limit - minDelayMs);
}

/**
 * Waits the given milliseconds; resolves at once when the connection is closed, the network is back, or the page
 * becomes visible.
 */
export function waitOrWake(milliseconds: number, stopped: AbortSignal): Promise<void> {
  return new Promise((done) => {
    const end = () => {
      clearTimeout(timer);
      removeEventListener("online", end);
      document.removeEventListener("visibilitychange", onVisibilityChange);
      stopped.removeEventListener("abort", end);
      done();
    };
    const onVisibilityChange = () => {
      if (document.visibilityState === "visible") end();
    };
    const timer = setTimeout(end, milliseconds);
    addEventListener("online", end);
    document.addEventListener("visibilitychange", onVisibilityChange);
    stopped.addEventListener("abort", end);
    if (stopped.aborted) end();
  });
}

/** Resolves when the page is visible or the connection is closed. */
export function whenVisible(stopped: AbortSignal): Promise<void> {
  return new Promise((done) => {
    const check = () => {
      if (document.visibilityState === "hidden" && !stopped.aborted) return;
      document.removeEventListener("visibilitychange", check);
      stopped.removeEventListener("abort", check);
      done();
    };
    document.addEventListener("visibilitychange", check);
    stopped.addEventListener("abort", check);
    check();
  });
}
