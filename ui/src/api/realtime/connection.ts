import type { ClientFrame, ServerFrame } from "../schema";
import { reloadSignedOut, showLockScreen, showSecondFactorPage, useSession } from "../session";
import { backoffDelay, waitOrWake, whenVisible } from "./backoff";
import { poll } from "./poll";
import { type OpenSocket, runSocket } from "./socket";

/** Sockets that end without a `hello` frame before the connection changes to long polling. */
const maxRefusals = 2;
/** Milliseconds until a socket is tried again after sockets were found blocked. */
const pollingMs = 5 * 60_000;
/** Milliseconds that a socket must last to count as working. */
const stableMs = 10_000;

export interface ConnectionOptions {
  /** The last sequence number seen; undefined if it could not be asked for. */
  after: number | undefined;
  /** Receives frames in order. `hello` is not passed on: a gap that it reports is passed on as `resync`. */
  onFrame: (frame: ServerFrame) => void;
  onReachable: (yes: boolean) => void;
  /** Called when the server has a new connection, which knows nothing that was sent before. */
  onOpen: () => void;
  /** Whether polling stops while the page is hidden. */
  pauseWhenHidden: boolean;
}

export interface RealtimeConnection {
  sendFrame: (frame: ClientFrame) => void;
  /** Checks whether the connection still works. */
  check: () => void;
  close: () => void;
}

/** Opens a connection to the server: a socket, or long polling if sockets are blocked. */
export function openConnection({ after, onFrame, onReachable, onOpen, pauseWhenHidden }: ConnectionOptions): RealtimeConnection {
  const stop = new AbortController();
  const stopped = stop.signal;
  let lastSequence = after;
  let failures = 0;
  /** The `moment` of the last poll's answer, which the next poll sends. */
  let moment: number | undefined;
  let refusals = 0;
  let nextSocketAt = 0;
  let helloAt = 0;
  let needsSecondFactor = false;
  let socket: OpenSocket | undefined;

  const takeFrame = (frame: ServerFrame) => {
    if (frame.type === "hello") {
      const { at, resumed } = frame.data;
      const gap = lastSequence === undefined || !resumed;
      if (gap) onFrame({ type: "resync", id: at, data: {} });
      lastSequence = gap ? at : Math.max(lastSequence ?? 0, frame.id);
      return;
    }
    if (frame.type === "session.ended") {
      needsSecondFactor = frame.data.reason === "second_factor_required";
      return;
    }
    lastSequence = frame.type === "resync" ? frame.id : Math.max(lastSequence ?? 0, frame.id);
    onFrame(frame);
  };
  const waitAfterFailure = async () => {
    failures += 1;
    if (failures > 1 || navigator.onLine === false) onReachable(false);
    await waitOrWake(backoffDelay(failures), stopped);
  };

  const runBySocket = async (): Promise<void> => {
    const ending = await runSocket({
      lastSequence: () => lastSequence,
      stopped,
      onFrame: takeFrame,
      onHello: (open) => {
        helloAt = performance.now();
        refusals = 0;
        socket = open;
        onReachable(true);
        onOpen();
      },
    });
    socket = undefined;
    if (stopped.aborted) return;
    const signedIn = useSession.getState().state === "signed-in";
    if (ending === "over" || ending === "locked") {
      stop.abort();
      if (signedIn && needsSecondFactor) showSecondFactorPage();
      else if (signedIn && ending === "over") void reloadSignedOut();
      else if (signedIn) showLockScreen();
      return;
    }
    if (ending === "refused") {
      refusals += 1;
      if (refusals >= maxRefusals) nextSocketAt = performance.now() + pollingMs;
      else await waitOrWake(backoffDelay(1), stopped);
      return;
    }
    if (ending !== "unreachable" && performance.now() - helloAt > stableMs) failures = 0;
    if (ending === "restarting") await waitOrWake(backoffDelay(2), stopped);
    else await waitAfterFailure();
  };

  const pollOnce = async (): Promise<void> => {
    if (pauseWhenHidden) await whenVisible(stopped);
    if (stopped.aborted) return;
    try {
      const unknown = lastSequence === undefined;
      // After a failure, ask for an immediate answer instead of waiting for the next change.
      const answer = await poll({ after: lastSequence, moment, stopped, pauseWhenHidden, ...((failures > 0 || unknown) && { wait: 0 }) });
      if (stopped.aborted) return;
      failures = 0;
      onReachable(true);
      if (unknown || answer.resync) takeFrame({ type: "resync", id: answer.at, data: {} });
      else answer.frames.forEach(takeFrame);
      lastSequence = answer.at;
      moment = answer.moment;
    } catch {
      // Aborted because the page is hidden, which is not a failure.
      if (stopped.aborted || (pauseWhenHidden && document.visibilityState === "hidden")) return;
      await waitAfterFailure();
    }
  };

  const run = async () => {
    while (!stopped.aborted && useSession.getState().state === "signed-in") {
      if (refusals < maxRefusals || performance.now() >= nextSocketAt) await runBySocket();
      else await pollOnce();
    }
  };
  void run();
  return {
    sendFrame: (frame) => socket?.sendFrame(frame),
    check: () => socket?.check(),
    close: () => stop.abort(),
  };
}
