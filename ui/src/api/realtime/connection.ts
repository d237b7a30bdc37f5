import type { ClientFrame, ServerFrame } from "../schema";
import { end, locked, secureFirst, useSession } from "../session";
import { backoffDelay, waitOrWake, whenVisible } from "./backoff";
import { poll } from "./poll";
import { type OpenSocket, runSocket } from "./socket";

/** Sockets that end without a greeting before the line goes the other way. */
const tries = 2;
/** Milliseconds after which a socket is tried again where they are blocked. */
const another = 5 * 60_000;
/** Milliseconds that a socket lives to count as one that works. */
const steady = 10_000;

export interface ConnectionOptions {
  /** The place up to which has been heard; unknown when it could not be asked. */
  after: number | undefined;
  /** Hears frames in their order. `hello` never comes here: what it says of what was missed comes as `resync`. */
  onFrame: (frame: ServerFrame) => void;
  reachable: (yes: boolean) => void;
  /** The server knows nothing of what was said before. */
  opened: () => void;
  /** Whether nothing is waited for while nobody looks at the page. */
  shy: boolean;
}

export interface RealtimeConnection {
  sendFrame: (frame: ClientFrame) => void;
  /** Looks whether it still holds. */
  check: () => void;
  close: () => void;
}

/** A line to the server: by a socket, or by calls that wait where sockets are blocked. */
export function openConnection({ after, onFrame, reachable, opened, shy }: ConnectionOptions): RealtimeConnection {
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
    if (shy) await whenVisible(stopped);
    if (stopped.aborted) return;
    try {
      const unknown = place === undefined;
      // After a failure one wants to know at once, not when something happens.
      const answer = await poll({ after: place, moment, stopped, shy, ...((failures > 0 || unknown) && { wait: 0 }) });
      if (stopped.aborted) return;
      failures = 0;
      reachable(true);
      if (unknown || answer.resync) take({ type: "resync", id: answer.at, data: {} });
      else answer.frames.forEach(take);
      place = answer.at;
      moment = answer.moment;
    } catch {
      // Given up because nobody looks: that is no failure.
      if (stopped.aborted || (shy && document.visibilityState === "hidden")) return;
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
