import { api } from "../client";
import type { News } from "../schema";

/** Seconds that the server lets a call wait. */
const patience = 25;
/** Milliseconds beyond that after which a call that has not answered is given up. */
const grace = 10_000;
/** Milliseconds for which a page that is out of sight goes on waiting where each tab waits for itself: browsers share few connections among pages. */
const linger = 10_000;

export interface PollOptions {
  after: number | undefined;
  moment?: number | undefined;
  /** Seconds the server may wait for something to happen. */
  wait?: number;
  stopped: AbortSignal;
  /** Whether the call is given up when nobody looks at the page. */
  shy?: boolean;
}

/** Asks what happened after a place; rejects with the signal's reason when it is given up. */
export async function poll({ after, moment, wait = patience, stopped, shy = false }: PollOptions): Promise<News> {
  const call = new AbortController();
  const giveUp = () => call.abort();
  const late = setTimeout(giveUp, wait * 1000 + grace);
  let away: ReturnType<typeof setTimeout> | undefined;
  const look = () => {
    clearTimeout(away);
    if (shy && document.visibilityState === "hidden") away = setTimeout(giveUp, linger);
  };
  document.addEventListener("visibilitychange", look);
  stopped.addEventListener("abort", giveUp);
  // Who goes offline would wait for an answer that cannot come.
  addEventListener("offline", giveUp);
  look();
  try {
    const query = after === undefined ? {} : { after, wait, moment };
    // Quiet: a call that always waits would keep the loading bar on the screen for ever.
    return await api.get<News>("/api/live", { query, signal: call.signal, quiet: true });
  } finally {
    clearTimeout(late);
    clearTimeout(away);
    document.removeEventListener("visibilitychange", look);
    stopped.removeEventListener("abort", giveUp);
    removeEventListener("offline", giveUp);
  }
}
