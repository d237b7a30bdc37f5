import { watchIdle } from "@/lib/idle";
import { setFrameSender, useLive } from "../live";
import type { ServerFrame } from "../schema";
import { openConnection, type RealtimeConnection } from "./connection";
import { maxEditedRecords, type OpenConnection } from "./tab-messages";
import { canShareConnection, joinTabs, type Tab } from "./tabs";

/** Milliseconds without activity after which others see the member as away. */
const idleMs = 5 * 60_000;

export interface SubscribeOptions {
  /** The member whose connection it is. */
  member: string;
  /** The sequence number at which the screens were read. */
  after: number | undefined;
  onFrame: (frame: ServerFrame) => void;
}

/** Gives this tab a connection of its own, where tabs cannot share one. */
function connectAlone({ after, onFrame }: SubscribeOptions, open: OpenConnection): Tab {
  let records: Parameters<Tab["edit"]>[0] = [];
  const sendEdited = () => connection.sendFrame({ type: "editing", data: { records: records.slice(0, maxEditedRecords) } });
  const connection: RealtimeConnection = open({
    after,
    onFrame,
    onReachable: (yes) => useLive.setState({ reachable: yes }),
    onOpen: () => {
      if (records.length > 0) sendEdited();
    },
  });
  return {
    sendFrame: (frame) => connection.sendFrame(frame),
    edit: (next) => {
      records = next;
      sendEdited();
    },
    leave: () => connection.close(),
  };
}

/** Delivers all frames after a sequence number, in order and once each, until the returned function is called. */
export function subscribeToFrames(options: SubscribeOptions): () => void {
  const shared = canShareConnection();
  const open: OpenConnection = (connectionOptions) => {
    const connection = openConnection({
      ...connectionOptions,
      pauseWhenHidden: !shared,
      onOpen: () => {
        if (idle.now()) connection.sendFrame({ type: "activity", data: { idle: true } });
        connectionOptions.onOpen();
      },
    });
    const idle = watchIdle(idleMs, (now) => connection.sendFrame({ type: "activity", data: { idle: now } }));
    return {
      ...connection,
      close: () => {
        idle.stop();
        connection.close();
      },
    };
  };
  const tab = shared ? joinTabs({ ...options, open }) : connectAlone(options, open);
  const drop = setFrameSender(tab);
  return () => {
    drop();
    tab.leave();
    useLive.setState({ reachable: true });
  };
}
