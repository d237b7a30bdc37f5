import { create } from "zustand";
import { api } from "./client";
import { useSession } from "./session";

/** Something that changed on the server. */
export interface Change {
  /** The record's kind: `task`, `message`, `chat`, … */
  kind: string;
  recordId: string;
  version: number;
}

/** What happened since one last heard; with `resync` anything may have. */
export interface News {
  changes: Change[];
  resync: boolean;
}

/** Whether the server can be reached, as far as the wait for news knows. */
export const useLive = create<{ reachable: boolean }>(() => ({ reachable: true }));

/** Seconds that the server lets a call wait. */
const patience = 25;
/** Milliseconds after which a call that has not answered is given up. */
const overdue = (patience + 10) * 1000;
/** Milliseconds for which a page that is out of sight goes on listening: browsers share few connections among pages. */
const linger = 10_000;
/** Milliseconds between two answers, so that a burst of changes comes as a few. */
const breath = 250;
const longestPause = 30_000;

/** Milliseconds to wait after so many failures in a row: twice as long each time, spread by chance. */
export function backOff(failures: number, chance = Math.random()): number {
  return Math.min(1000 * 2 ** (failures - 1), longestPause) * (0.5 + chance / 2);
}

/** Resolves after so many milliseconds, and at once when one stops listening or the connection is back. */
function pause(milliseconds: number, stopped: AbortSignal): Promise<void> {
  return new Promise((done) => {
    const end = () => {
      clearTimeout(timer);
      removeEventListener("online", end);
      stopped.removeEventListener("abort", end);
      done();
    };
    const timer = setTimeout(end, milliseconds);
    addEventListener("online", end);
    stopped.addEventListener("abort", end);
    if (stopped.aborted) end();
  });
}

/** Resolves when the page is in sight. */
function inSight(stopped: AbortSignal): Promise<void> {
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

/** Gives a call up when it is overdue, when one stops listening, goes offline, or has not looked at the page for a while. */
function patienceOf(stopped: AbortSignal) {
  const call = new AbortController();
  let away: ReturnType<typeof setTimeout> | undefined;
  const giveUp = () => call.abort();
  const late = setTimeout(giveUp, overdue);
  const look = () => {
    clearTimeout(away);
    if (document.visibilityState === "hidden") away = setTimeout(giveUp, linger);
  };
  document.addEventListener("visibilitychange", look);
  stopped.addEventListener("abort", giveUp);
  addEventListener("offline", giveUp);
  look();
  return {
    signal: call.signal,
    end: () => {
      clearTimeout(late);
      clearTimeout(away);
      document.removeEventListener("visibilitychange", look);
      stopped.removeEventListener("abort", giveUp);
      removeEventListener("offline", giveUp);
    },
  };
}

type Answer = News & { at: number };

/** Where the server is now: what happens after it is news. */
export async function presentPlace(): Promise<number> {
  return (await api.get<Answer>("/api/live")).at;
}

/**
 * Tells what changes on the server after a place, for as long as nobody calls the answered function.
 * After a lost connection, or a page that was out of sight, it catches up with what was missed.
 */
export function listen(from: number | undefined, hear: (news: News) => void): () => void {
  const stop = new AbortController();
  const stopped = stop.signal;

  const run = async () => {
    let after = from;
    let failures = 0;
    while (!stopped.aborted) {
      await inSight(stopped);
      if (stopped.aborted) return;
      const call = patienceOf(stopped);
      try {
        const query = after === undefined ? {} : { after, wait: failures > 0 ? 0 : patience };
        // Quiet: a call that always waits would keep the loading bar on the screen for ever.
        const news = await api.get<Answer>("/api/live", { query, signal: call.signal, quiet: true });
        if (stopped.aborted) return;
        const wasLost = !useLive.getState().reachable;
        failures = 0;
        useLive.setState({ reachable: true });
        const first = after === undefined;
        after = news.at;
        if (wasLost || news.resync) hear({ changes: [], resync: true });
        else if (!first && news.changes.length > 0) {
          hear({ changes: news.changes, resync: false });
          await pause(breath, stopped);
        }
      } catch {
        if (stopped.aborted || useSession.getState().state !== "signed-in") return;
        // Given up because nobody looks: that is no failure.
        if (call.signal.aborted && document.visibilityState === "hidden") continue;
        failures += 1;
        if (failures > 1 || navigator.onLine === false) useLive.setState({ reachable: false });
        await pause(backOff(failures), stopped);
      } finally {
        call.end();
      }
    }
  };

  void run();
  return () => {
    stop.abort();
    useLive.setState({ reachable: true });
  };
}
