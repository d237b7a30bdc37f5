import { afterEach, beforeEach, vi } from "vitest";
import type { ServerFrame } from "@/api/schema";

/** Stands in for the browser's sockets: what the client opened, and what it said by each. */
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
  /** Says something to the client. */
  says(...frames: ServerFrame[]) {
    for (const frame of frames) this.onmessage?.({ data: JSON.stringify(frame) });
  }
  greets(at: number, resumed = true) {
    this.says({ type: "hello", id: at, data: { sessionId: "s", memberId: "u1", at, resumed } });
  }
  /** The server, or the net, ends it. */
  ends(code = 1006) {
    this.readyState = 3;
    this.onclose?.({ code });
  }
}

/** Lets sockets be the fake's; answers the newest. */
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

/** What happened to a task, at a place. */
export const taskChanged = (id: number, recordId = "t"): ServerFrame => ({
  type: "record.changed",
  id,
  data: { kind: "task", recordId, version: id, op: "updated" },
});
