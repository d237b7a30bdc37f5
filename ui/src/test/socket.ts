import { afterEach, beforeEach, vi } from "vitest";
import type { ServerFrame } from "@/api/schema";

/** A fake of the browser's WebSocket: records the sockets that the client opened and the frames that it sent. */
export class FakeSocket {
  static opened: FakeSocket[] = [];
  static readonly OPEN = 1;
  readyState = 1;
  onmessage: ((event: { data: unknown }) => void) | null = null;
  onclose: ((event: { code: number }) => void) | null = null;
  said: unknown[] = [];
  closed = false;

  constructor(
    readonly url: URL,
    readonly protocols: string[],
  ) {
    FakeSocket.opened.push(this);
  }
  send(text: string) {
    this.said.push(JSON.parse(text));
  }
  close() {
    this.closed = true;
    this.readyState = 3;
  }
  /** Sends frames to the client. */
  says(...frames: ServerFrame[]) {
    for (const frame of frames) this.onmessage?.({ data: JSON.stringify(frame) });
  }
  greets(at: number, resumed = true) {
    this.says({ type: "hello", id: at, data: { sessionId: "s", memberId: "u1", at, resumed } });
  }
  /** Closes the socket from the server's side. */
  ends(code = 1006) {
    this.readyState = 3;
    this.onclose?.({ code });
  }
}

/** Installs the fake and returns the newest socket. */
export function fakeSockets() {
  beforeEach(() => {
    FakeSocket.opened = [];
    vi.stubGlobal("WebSocket", FakeSocket);
  });
  afterEach(() => vi.unstubAllGlobals());
  return {
    all: () => FakeSocket.opened,
    last: (): FakeSocket => {
      const socket = FakeSocket.opened.at(-1);
      if (!socket) throw new Error("No socket was opened");
      return socket;
    },
  };
}

/** A change of a task, at a sequence number. */
export const taskChanged = (id: number, recordId = "t"): ServerFrame => ({
  type: "record.changed",
  id,
  data: { kind: "task", recordId, version: id, op: "updated" },
});
