import { api } from "../client";
import type { News } from "../schema";

/** Seconds that the server may hold a call. */
const maxWaitSeconds = 25;
/** Milliseconds beyond that until an unanswered call is aborted. */
const answerGraceMs = 10_000;
/**
 * Milliseconds for which a hidden page goes on waiting if each tab polls for itself: browsers share few connections
 * among pages.
 */
const hiddenPollMs = 10_000;

export interface PollOptions {
  after: number | undefined;
  moment?: number | undefined;
  /** Seconds the server may wait for a change. */
  wait?: number;
  stopped: AbortSignal;
  /** Whether the call is aborted when the page is hidden. */
  pauseWhenHidden?: boolean;
}

/** Asks for changes after a sequence number; rejects with the signal's reason when it is aborted. */
export async function poll({ after, moment, wait = maxWaitSeconds, stopped, pauseWhenHidden = false }: PollOptions): Promise<News> {
  const call = new AbortController();
  const giveUp = () => call.abort();
  const timeout = setTimeout(giveUp, wait * 1000 + answerGraceMs);
  let hiddenTimer: ReturnType<typeof setTimeout> | undefined;
  const onVisibilityChange = () => {
    clearTimeout(hiddenTimer);
    if (pauseWhenHidden && document.visibilityState === "hidden") hiddenTimer = setTimeout(giveUp, hiddenPollMs);
  };
  document.addEventListener("visibilitychange", onVisibilityChange);
  stopped.addEventListener("abort", giveUp);
  // Offline, the response cannot arrive.
  addEventListener("offline", giveUp);
  onVisibilityChange();
  try {
    const query = after === undefined ? {} : { after, wait, moment };
    // Quiet: a call that waits all the time would show the loading bar all the time.
    return await api.get("/api/live", { query, signal: call.signal, quiet: true });
  } finally {
    clearTimeout(timeout);
    clearTimeout(hiddenTimer);
    document.removeEventListener("visibilitychange", onVisibilityChange);
    stopped.removeEventListener("abort", giveUp);
    removeEventListener("offline", giveUp);
  }
}
