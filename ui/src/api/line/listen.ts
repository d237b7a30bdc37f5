import { watchIdle } from "@/lib/idle";
import { carry, useLive } from "../live";
import type { ServerFrame } from "../schema";
import { type Line, openLine } from "./line";
import { canShare, joinTabs, type Tab } from "./tabs";
import type { OpenLine } from "./words";

/** Milliseconds without a sign of the person after which others see them as away. */
const idleAfter = 5 * 60_000;

export interface ListenOptions {
  /** Whose line it is. */
  member: string;
  /** The place at which the screens were read. */
  after: number | undefined;
  hear: (frame: ServerFrame) => void;
}

/** A tab by itself, where tabs cannot share. */
function alone({ after, hear }: ListenOptions, open: OpenLine): Tab {
  let records: Parameters<Tab["edit"]>[0] = [];
  const sayEdited = () => line.say({ type: "editing", data: { records: records.slice(0, 20) } });
  const line: Line = open({
    after,
    hear,
    reachable: (yes) => useLive.setState({ reachable: yes }),
    opened: () => {
      if (records.length > 0) sayEdited();
    },
  });
  return {
    say: (frame) => line.say(frame),
    edit: (next) => {
      records = next;
      sayEdited();
    },
    leave: () => line.close(),
  };
}

/**
 * Tells what happens on the server after a place, in its order and each thing once, for as long as nobody
 * calls the answered function.
 */
export function listen(options: ListenOptions): () => void {
  const shared = canShare();
  const open: OpenLine = (line) => {
    const opened = openLine({
      ...line,
      shy: !shared,
      opened: () => {
        if (idle.now()) opened.say({ type: "activity", data: { idle: true } });
        line.opened();
      },
    });
    const idle = watchIdle(idleAfter, (now) => opened.say({ type: "activity", data: { idle: now } }));
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
