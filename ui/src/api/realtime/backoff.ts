const shortest = 500;
const longest = 30_000;

/** Milliseconds to wait after so many failures in a row: by chance anything up to a limit that doubles each time. */
export function backoffDelay(failures: number, chance = Math.random()): number {
  const limit = Math.min(longest, shortest * 2 ** failures);
  return shortest + chance * (limit - shortest);
}

/** Resolves after so many milliseconds; at once when the line is given up, the net is back, or somebody looks at the page again. */
export function waitOrWake(milliseconds: number, stopped: AbortSignal): Promise<void> {
  return new Promise((done) => {
    const end = () => {
      clearTimeout(timer);
      removeEventListener("online", end);
      document.removeEventListener("visibilitychange", look);
      stopped.removeEventListener("abort", end);
      done();
    };
    const look = () => {
      if (document.visibilityState === "visible") end();
    };
    const timer = setTimeout(end, milliseconds);
    addEventListener("online", end);
    document.addEventListener("visibilitychange", look);
    stopped.addEventListener("abort", end);
    if (stopped.aborted) end();
  });
}

/** Resolves when the page is in sight, or the line is given up. */
export function whenVisible(stopped: AbortSignal): Promise<void> {
  return new Promise((done) => {
    const look = () => {
      if (document.visibilityState === "hidden" && !stopped.aborted) return;
      document.removeEventListener("visibilitychange", look);
      stopped.removeEventListener("abort", look);
      done();
    };
    document.addEventListener("visibilitychange", look);
    stopped.addEventListener("abort", look);
    look();
  });
}
