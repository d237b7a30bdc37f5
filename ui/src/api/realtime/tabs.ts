import { useLive } from "../live";
import type { ClientFrame, EditedRecord, ServerFrame } from "../schema";
import { type Leader, startLeader } from "./leader";
import type { OpenConnection, TabMessage } from "./tab-messages";

/** Milliseconds in which the leader must answer; a tab that the system has suspended does not. */
const leaderTimeoutMs = 3_000;

export interface TabsOptions {
  /** The member whose connection it is: tabs of the same member share it. */
  member: string;
  after: number | undefined;
  onFrame: (frame: ServerFrame) => void;
  open: OpenConnection;
}

export interface Tab {
  sendFrame: (frame: ClientFrame) => void;
  edit: (records: EditedRecord[]) => void;
  leave: () => void;
}

/**
 * Joins the tabs of a browser that share one connection. The tab that holds the lock is the leader: it owns the
 * connection and passes frames on. A tab that joins later receives the frames since it read its screen. When the leader
 * closes, the next one continues from its own sequence number.
 */
export function joinTabs({ member, after, onFrame, open }: TabsOptions): Tab {
  const name = `atrium-line-${member}`;
  const tab = crypto.randomUUID();
  const channel = new BroadcastChannel(name);
  const stop = new AbortController();
  let lastSequence = after;
  let records: EditedRecord[] = [];
  let leader: Leader | undefined;
  let answerTimer: ReturnType<typeof setTimeout> | undefined;

  const broadcast = (message: TabMessage) => {
    if (!stop.signal.aborted) channel.postMessage(message);
  };
  const takeFrame = (frame: ServerFrame) => {
    // A new leader may start before the sequence number that this tab has reached.
    if (frame.type !== "resync" && lastSequence !== undefined && frame.id < lastSequence) return;
    lastSequence = frame.id;
    onFrame(frame);
  };
  const setReachable = (yes: boolean) => useLive.setState({ reachable: yes });

  const lead = () => {
    clearTimeout(answerTimer);
    leader = startLeader({ tab, after: lastSequence, records, open, takeFrame, onReachable: setReachable, broadcast });
    broadcast({ type: "leading" });
  };
  const requestLock = (steal: boolean) => {
    const options = steal ? { steal } : { signal: stop.signal };
    const held = navigator.locks.request(name, options, () => {
      if (stop.signal.aborted) return;
      lead();
      return new Promise<void>((release) => stop.signal.addEventListener("abort", () => release()));
    });
    held.catch(() => {
      // Another tab took the connection over because this one did not answer.
      leader?.end();
      leader = undefined;
      // WebKit also refuses locks to a document that is ending, at once and for good. A request repeated here, before
      // the next task, would repeat without end; a document that has ended runs no further task.
      setTimeout(() => {
        if (!stop.signal.aborted) requestLock(false);
      });
    });
  };
  const join = () => {
    if (leader) return;
    broadcast({ type: "join", tab, after: lastSequence, records });
    clearTimeout(answerTimer);
    answerTimer = setTimeout(() => {
      if (!leader && document.visibilityState === "visible") requestLock(true);
    }, leaderTimeoutMs);
  };
  const onVisibilityChange = () => {
    if (document.visibilityState === "visible") join();
  };

  channel.onmessage = ({ data: message }: MessageEvent<TabMessage>) => {
    if (leader) return leader.receive(message);
    if (message.type === "frame") takeFrame(message.frame);
    else if (message.type === "reachable") setReachable(message.reachable);
    else if (message.type === "leading") join();
    else if (message.type === "welcome" && message.tab === tab) {
      clearTimeout(answerTimer);
      setReachable(message.reachable);
      message.frames.forEach(takeFrame);
    }
  };
  document.addEventListener("visibilitychange", onVisibilityChange);
  // Held while the tab lives, so that the leader notices when the tab closes.
  void navigator.locks
    .request(
      `atrium-line-tab-${tab}`,
      { signal: stop.signal },
      () => new Promise<void>((done) => stop.signal.addEventListener("abort", () => done())),
    )
    .catch(() => undefined);
  requestLock(false);
  join();

  return {
    sendFrame: (frame) => (leader ? leader.sendFrame(frame) : broadcast({ type: "say", frame })),
    edit: (next) => {
      records = next;
      if (leader) leader.edit(tab, next);
      else broadcast({ type: "edit", tab, records: next });
    },
    leave: () => {
      clearTimeout(answerTimer);
      document.removeEventListener("visibilitychange", onVisibilityChange);
      leader?.end();
      leader = undefined;
      stop.abort();
      channel.close();
    },
  };
}

/** Whether the tabs of this browser can share a connection: a page without a secure origin has no locks. */
export const canShareConnection = () => typeof BroadcastChannel !== "undefined" && "locks" in navigator && Boolean(navigator.locks);
