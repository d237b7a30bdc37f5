import { api } from "../client";
import { ApiError } from "../errors";
import type { ClientFrame, PathOf, ServerFrame } from "../schema";
import { poll } from "./poll";
import { isTransient } from "./tab-messages";

/**
 * Why a socket ended. `refused`: the server answered, but sent nothing by the socket; `unreachable`: no server
 * answered; `restarting`: the server announced it; `lost`: it ended after `hello`.
 */
export type SocketEnd = "over" | "locked" | "restarting" | "refused" | "unreachable" | "lost";

const endByCode: Record<number, SocketEnd> = { 4401: "over", 4423: "locked", 1012: "restarting" };

/** Milliseconds to wait for the server's `hello`. */
const helloTimeoutMs = 10_000;
/** Milliseconds of silence after which a call asks whether frames were missed. */
const silenceMs = { visible: 40_000, hidden: 240_000 };
/** Milliseconds for which a received frame proves that the connection works. */
const frameProofMs = 5_000;
/** Milliseconds for frames under way to arrive. */
const deliveryGraceMs = 2_000;

export interface OpenSocket {
  sendFrame: (frame: ClientFrame) => void;
  /** Checks whether the connection still works. */
  check: () => void;
}

export interface SocketOptions {
  /** Returns the last sequence number seen; called again for each check. */
  lastSequence: () => number | undefined;
  stopped: AbortSignal;
  onFrame: (frame: ServerFrame) => void;
  /** Called after the server's `hello`, with the open socket. */
  onHello: (socket: OpenSocket) => void;
}

function address(after: number | undefined): URL {
  const url = new URL("/api/socket" satisfies PathOf<"get">, location.href);
  url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
  url.hash = "";
  if (after !== undefined) url.searchParams.set("after", String(after));
  return url;
}

/** Opens a socket and receives its frames; resolves when it ends. */
export async function runSocket({ lastSequence, stopped, onFrame, onHello }: SocketOptions): Promise<SocketEnd> {
  let ticket: string;
  try {
    const options = { signal: stopped, quiet: true };
    ticket = (await api.post("/api/auth/socket-ticket", {}, options)).ticket;
  } catch (error) {
    return error instanceof ApiError && error.status > 0 && error.status < 500 ? "refused" : "unreachable";
  }
  if (stopped.aborted) return "lost";

  return new Promise((done) => {
    let socket: WebSocket;
    try {
      socket = new WebSocket(address(lastSequence()), ["atrium.v1", `ticket.${ticket}`]);
    } catch {
      return done("refused");
    }
    let hasHello = false;
    let receivedAt = 0;
    let timer = setTimeout(() => end("refused"), helloTimeoutMs);

    const end = (ending: SocketEnd) => {
      clearTimeout(timer);
      removeEventListener("offline", checkForMissedFrames);
      removeEventListener("online", check);
      document.removeEventListener("visibilitychange", check);
      stopped.removeEventListener("abort", close);
      socket.onmessage = null;
      socket.onclose = null;
      socket.close();
      done(ending);
    };
    const close = () => end("lost");
    const check = () => {
      if (performance.now() - receivedAt > frameProofMs) void checkForMissedFrames();
    };
    const listenOn = () => {
      clearTimeout(timer);
      timer = setTimeout(checkForMissedFrames, silenceMs[document.visibilityState]);
    };
    // A socket does not report a cut connection: it is lost if a call returns frames that the socket did not deliver.
    const checkForMissedFrames = async () => {
      if (!hasHello) return;
      clearTimeout(timer);
      const before = lastSequence();
      try {
        const { frames } = await poll({ after: before, wait: 0, stopped });
        if (socket.onclose === null) return;
        const missed = frames.some((frame) => !isTransient(frame) && frame.id > (lastSequence() ?? 0));
        if (!missed) return listenOn();
        timer = setTimeout(() => (lastSequence() === before ? end("lost") : listenOn()), deliveryGraceMs);
      } catch {
        if (socket.onclose !== null) end("lost");
      }
    };

    socket.onmessage = ({ data }: MessageEvent<unknown>) => {
      if (typeof data !== "string") return;
      const frame = JSON.parse(data) as ServerFrame;
      receivedAt = performance.now();
      listenOn();
      if (frame.type === "hello" && !hasHello) {
        hasHello = true;
        const sendFrame = (outgoing: ClientFrame) => {
          if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(outgoing));
        };
        onHello({ sendFrame, check });
      }
      onFrame(frame);
    };
    socket.onclose = ({ code }) => end(endByCode[code] ?? (hasHello ? "lost" : "refused"));
    addEventListener("offline", checkForMissedFrames);
    addEventListener("online", check);
    document.addEventListener("visibilitychange", check);
    stopped.addEventListener("abort", close);
    if (stopped.aborted) close();
  });
}
