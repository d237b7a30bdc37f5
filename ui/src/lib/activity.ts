/**
 * When the member was last active in any tab of the application, by the monotonic clock, which cannot be set, and by
 * the wall clock, because the first stops while the machine sleeps.
 */
const inputEvents = ["pointermove", "pointerdown", "keydown", "wheel", "touchstart"] as const;
const deliberate = new Set<string>(["pointerdown", "keydown", "touchstart"]);

/** Minimum milliseconds between two messages to the other tabs. */
const reportInterval = 2_000;

let lastActivity = { steady: performance.now(), wall: Date.now() };
let reportedAt = Number.NEGATIVE_INFINITY;
let warned = false;
let tooLate: (() => boolean) | undefined;
const followers = new Set<() => void>();

const channel = typeof BroadcastChannel === "undefined" ? undefined : new BroadcastChannel("atrium-activity");

function noteActivity() {
  lastActivity = { steady: performance.now(), wall: Date.now() };
  for (const follow of followers) follow();
}

/** Returns the milliseconds since the last activity. */
export function idleFor(): number {
  return Math.max(0, performance.now() - lastActivity.steady, Date.now() - lastActivity.wall);
}

/** Returns the seconds since the last activity, as every call reports them. */
export const idleSeconds = () => String(Math.floor(idleFor() / 1000));

/** Records activity and reports it to the other tabs. */
export function stayActive() {
  noteActivity();
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
  else noteActivity();
}

function onOtherTab() {
  if (!tooLate?.()) noteActivity();
}

/** Calls back at each activity, until the returned function is called. */
export function followActivity(follow: () => void): () => void {
  if (followers.size === 0) {
    for (const sign of inputEvents) addEventListener(sign, onActivity, { passive: true, capture: true });
    channel?.addEventListener("message", onOtherTab);
  }
  followers.add(follow);
  return () => {
    followers.delete(follow);
    if (followers.size > 0) return;
    for (const sign of inputEvents) removeEventListener(sign, onActivity, { capture: true });
    channel?.removeEventListener("message", onOtherTab);
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
