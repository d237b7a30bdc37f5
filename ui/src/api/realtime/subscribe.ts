import { watchIdle } from "@/lib/idle";
import { carry, useLive } from "../live";
import type { ServerFrame } from "../schema";
import { openConnection, type RealtimeConnection } from "./connection";
import type { OpenConnection } from "./tab-messages";
import { canShareConnection, joinTabs, type Tab } from "./tabs";

/** Milliseconds without a sign of the person after which others see them as away. */
const idleAfter = 5 * 60_000;

export interface SubscribeOptions {
  /** Whose line it is. */
  member: string;
  /** The place at which the screens were read. */
  after: number | undefined;
  onFrame: (frame: ServerFrame) => void;
}

/** A tab by itself, where tabs cannot share. */
function alone({ after, onFrame }: SubscribeOptions, open: OpenConnection): Tab {
  let records: Parameters<Tab["edit"]>[0] = [];
  const sendEdited = () => line.sendFrame({ type: "editing", data: { records: records.slice(0, 20) } });
  const line: RealtimeConnection = open({
    after,
    onFrame,
    reachable: (yes) => useLive.setState({ reachable: yes }),
    opened: () => {
      if (records.length > 0) sendEdited();
    },
  });
  return {
    sendFrame: (frame) => line.sendFrame(frame),
    edit: (next) => {
      records = next;
      sendEdited();
    },
    leave: () => line.close(),
  };
}

/**
 * Tells what happens on the server after a place, in its order and each thing once, for as long as nobody
 * calls the answered function.
 */
export function subscribeToFrames(options: SubscribeOptions): () => void {
  const shared = canShareConnection();
  const open: OpenConnection = (line) => {
    const opened = openConnection({
      ...line,
      shy: !shared,
      opened: () => {
        if (idle.now()) opened.sendFrame({ type: "activity", data: { idle: true } });
        line.opened();
      },
    });
    const idle = watchIdle(idleAfter, (now) => opened.sendFrame({ type: "activity", data: { idle: now } }));
    return {
      ...opened,
      close: () => {
        idle.stop();
        opened.close();
      },
    };
  };
  const tab = shared ? joinTabs({ ...options, open }) : alone(options, open);
  const drop = carry(tab);
  return () => {
    drop();
    tab.leave();
    useLive.setState({ reachable: true });
  };
}
