import { watchIdle } from "@/lib/idle";
import { carry, useLive } from "../live";
import type { ServerFrame } from "../schema";
import { openConnection, type RealtimeConnection } from "./connection";
import type { OpenConnection } from "./tab-messages";
import { canShareConnection, joinTabs, type Tab } from "./tabs";

/** Milliseconds without activity after which others see the member as away. */
const idleAfter = 5 * 60_000;

export interface SubscribeOptions {
  /** The member whose connection it is. */
  member: string;
  /** The sequence number at which the screens were read. */
  after: number | undefined;
  onFrame: (frame: ServerFrame) => void;
}

/** Gives this tab a connection of its own, where tabs cannot share one. */
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

/** Delivers all frames after a sequence number, in order and once each, until the returned function is called. */
export function subscribeToFrames(options: SubscribeOptions): () => void {
  const shared = canShareConnection();
  const open: OpenConnection = (line) => {
    const opened = openConnection({
      ...line,
      pauseWhenHidden: !shared,
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
