import type { ClientFrame, ServerFrame } from "../schema";
import { end, locked, secureFirst, useSession } from "../session";
import { backoffDelay, waitOrWake, whenVisible } from "./backoff";
import { poll } from "./poll";
import { type OpenSocket, runSocket } from "./socket";

/** Sockets that end without a `hello` frame before the connection changes to long polling. */
const tries = 2;
/** Milliseconds until a socket is tried again after sockets were found blocked. */
const another = 5 * 60_000;
/** Milliseconds that a socket must last to count as working. */
const steady = 10_000;

export interface ConnectionOptions {
  /** The last sequence number seen; undefined if it could not be asked for. */
  after: number | undefined;
  /** Receives frames in order. `hello` is not passed on: a gap that it reports is passed on as `resync`. */
  onFrame: (frame: ServerFrame) => void;
  reachable: (yes: boolean) => void;
  /** Called when the server has a new connection, which knows nothing that was sent before. */
  opened: () => void;
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
export function openConnection({ after, onFrame, reachable, opened, pauseWhenHidden }: ConnectionOptions): RealtimeConnection {
  const stop = new AbortController();
  const stopped = stop.signal;
  let place = after;
  let failures = 0;
  let moment: number | undefined;
  let refusals = 0;
  let again = 0;
  let greetedAt = 0;
  let needsFactor = false;
  let socket: OpenSocket | undefined;

  const take = (frame: ServerFrame) => {
    if (frame.type === "hello") {
      const { at, resumed } = frame.data;
      const gap = place === undefined || !resumed;
      if (gap) onFrame({ type: "resync", id: at, data: {} });
      place = gap ? at : Math.max(place ?? 0, frame.id);
      return;
    }
    if (frame.type === "session.ended") {
      needsFactor = frame.data.reason === "second_factor_required";
      return;
    }
    place = frame.type === "resync" ? frame.id : Math.max(place ?? 0, frame.id);
    onFrame(frame);
  };
  const failed = async () => {
    failures += 1;
    if (failures > 1 || navigator.onLine === false) reachable(false);
    await waitOrWake(backoffDelay(failures), stopped);
  };

  const bySocket = async (): Promise<void> => {
    const ending = await runSocket({
      place: () => place,
      stopped,
      onFrame: take,
      greeted: (open) => {
        greetedAt = performance.now();
        refusals = 0;
        socket = open;
        reachable(true);
        opened();
      },
    });
    socket = undefined;
    if (stopped.aborted) return;
    const signedIn = useSession.getState().state === "signed-in";
    if (ending === "over" || ending === "locked") {
      stop.abort();
      if (signedIn && needsFactor) secureFirst();
      else if (signedIn && ending === "over") void end();
      else if (signedIn) locked();
      return;
    }
    if (ending === "refused") {
      refusals += 1;
      if (refusals >= tries) again = performance.now() + another;
      else await waitOrWake(backoffDelay(1), stopped);
      return;
    }
    if (ending !== "unreachable" && performance.now() - greetedAt > steady) failures = 0;
    if (ending === "restarting") await waitOrWake(backoffDelay(2), stopped);
    else await failed();
  };

  const byCall = async (): Promise<void> => {
    if (pauseWhenHidden) await whenVisible(stopped);
    if (stopped.aborted) return;
    try {
      const unknown = place === undefined;
      // After a failure, ask for an immediate answer instead of waiting for the next change.
      const answer = await poll({ after: place, moment, stopped, pauseWhenHidden, ...((failures > 0 || unknown) && { wait: 0 }) });
      if (stopped.aborted) return;
      failures = 0;
      reachable(true);
      if (unknown || answer.resync) take({ type: "resync", id: answer.at, data: {} });
      else answer.frames.forEach(take);
      place = answer.at;
      moment = answer.moment;
    } catch {
      // Aborted because the page is hidden, which is not a failure.
      if (stopped.aborted || (pauseWhenHidden && document.visibilityState === "hidden")) return;
      await failed();
    }
  };

  const run = async () => {
    while (!stopped.aborted && useSession.getState().state === "signed-in") {
      if (refusals < tries || performance.now() >= again) await bySocket();
      else await byCall();
    }
  };
  void run();
  return {
    sendFrame: (frame) => socket?.sendFrame(frame),
    check: () => socket?.check(),
    close: () => stop.abort(),
  };
}
