/**
 * When the person last did something at this application, in any of its tabs. By the clock that nobody can
 * set, and by the wall's, too, because a machine that sleeps stops the first.
 */
const signs = ["pointermove", "pointerdown", "keydown", "wheel", "touchstart"] as const;
const deliberate = new Set<string>(["pointerdown", "keydown", "touchstart"]);

/** Milliseconds between two words to the other tabs. */
const breath = 2_000;

let last = { steady: performance.now(), wall: Date.now() };
let told = Number.NEGATIVE_INFINITY;
let warned = false;
let tooLate: (() => boolean) | undefined;
const followers = new Set<() => void>();

const channel = typeof BroadcastChannel === "undefined" ? undefined : new BroadcastChannel("atrium-activity");

function note() {
  last = { steady: performance.now(), wall: Date.now() };
  for (const follow of followers) follow();
}

/** Milliseconds since the person last did something. */
export function idleFor(): number {
  return Math.max(0, performance.now() - last.steady, Date.now() - last.wall);
}

/** The header by which a call tells the server that nobody has been here for so many seconds. */
export const idleHeader = "Atrium-Idle";
export const idleSeconds = () => String(Math.floor(idleFor() / 1000));

/** Says that the person is here. */
export function stayActive() {
  note();
  told = performance.now();
  channel?.postMessage("active");
}

/** While one is warned, a mouse that is nudged is no answer: a key or a press is. */
export function waitForAnswer(on: boolean) {
  warned = on;
}

function heard({ type }: Event) {
  if (warned && !deliberate.has(type)) return;
  // Whoever comes back after the limit finds the door closed, however quick they are.
  if (tooLate?.()) return;
  if (performance.now() - told >= breath) stayActive();
  else note();
}

function fromOthers() {
  if (!tooLate?.()) note();
}

/** Calls back at each sign of the person, until the answered function is called. */
export function followActivity(follow: () => void): () => void {
  if (followers.size === 0) {
    for (const sign of signs) addEventListener(sign, heard, { passive: true, capture: true });
    channel?.addEventListener("message", fromOthers);
  }
  followers.add(follow);
  return () => {
    followers.delete(follow);
    if (followers.size > 0) return;
    for (const sign of signs) removeEventListener(sign, heard, { capture: true });
    channel?.removeEventListener("message", fromOthers);
  };
}

/**
 * Watches for the person until the answered function is called. `isTooLate` is asked before anything counts:
 * once it says so, what was too long stays so.
 */
export function watchActivity(isTooLate: () => boolean): () => void {
  tooLate = isTooLate;
  const stop = followActivity(() => undefined);
  return () => {
    tooLate = undefined;
    stop();
  };
}
