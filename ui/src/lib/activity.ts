/**
 * When the member was last active in any tab of the application, by the monotonic clock, which cannot be set, and by
 * the wall clock, because the first stops while the machine sleeps.
 */
const signs = ["pointermove", "pointerdown", "keydown", "wheel", "touchstart"] as const;
const deliberate = new Set<string>(["pointerdown", "keydown", "touchstart"]);

/** Minimum milliseconds between two messages to the other tabs. */
const reportInterval = 2_000;

let last = { steady: performance.now(), wall: Date.now() };
let reportedAt = Number.NEGATIVE_INFINITY;
let warned = false;
let tooLate: (() => boolean) | undefined;
const followers = new Set<() => void>();

const channel = typeof BroadcastChannel === "undefined" ? undefined : new BroadcastChannel("atrium-activity");

function note() {
  last = { steady: performance.now(), wall: Date.now() };
  for (const follow of followers) follow();
}

/** Returns the milliseconds since the last activity. */
export function idleFor(): number {
  return Math.max(0, performance.now() - last.steady, Date.now() - last.wall);
}

/** The request header that reports the seconds since the last activity. */
export const idleHeader = "Atrium-Idle";
export const idleSeconds = () => String(Math.floor(idleFor() / 1000));

/** Records activity and reports it to the other tabs. */
export function stayActive() {
  note();
  reportedAt = performance.now();
  channel?.postMessage("active");
}

/** During the warning, only a key or a press counts as activity, not a moved mouse. */
export function waitForAnswer(on: boolean) {
  warned = on;
}

function onActivity({ type }: Event) {
  if (warned && !deliberate.has(type)) return;
  // Activity after the limit does not prevent the lock.
  if (tooLate?.()) return;
  if (performance.now() - reportedAt >= reportInterval) stayActive();
  else note();
}

function fromOthers() {
  if (!tooLate?.()) note();
}

/** Calls back at each activity, until the returned function is called. */
export function followActivity(follow: () => void): () => void {
  if (followers.size === 0) {
    for (const sign of signs) addEventListener(sign, onActivity, { passive: true, capture: true });
    channel?.addEventListener("message", fromOthers);
  }
  followers.add(follow);
  return () => {
    followers.delete(follow);
    if (followers.size > 0) return;
    for (const sign of signs) removeEventListener(sign, onActivity, { capture: true });
    channel?.removeEventListener("message", fromOthers);
  };
}

/**
 * Watches activity until the returned function is called. `isTooLate` is asked first: once it returns true, activity no
 * longer counts.
 */
export function watchActivity(isTooLate: () => boolean): () => void {
  tooLate = isTooLate;
  const stop = followActivity(() => undefined);
  return () => {
    tooLate = undefined;
    stop();
  };
}
