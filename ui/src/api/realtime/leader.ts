import type { ClientFrame, EditedRecord, ServerFrame, Status } from "../schema";
import type { RealtimeConnection } from "./connection";
import { isTransient, type OpenConnection, type TabMessage } from "./tab-messages";

/** Frames kept for tabs that join later. */
const kept = 500;

export interface LeaderOptions {
  tab: string;
  after: number | undefined;
  records: EditedRecord[];
  open: OpenConnection;
  /** Passes a frame to the leader's own tab. */
  take: (frame: ServerFrame) => void;
  reachable: (yes: boolean) => void;
  broadcast: (message: TabMessage) => void;
}

export interface Leader {
  receive: (message: TabMessage) => void;
  sendFrame: (frame: ClientFrame) => void;
  edit: (tab: string, records: EditedRecord[]) => void;
  end: () => void;
}

const keyOf = ({ kind, recordId }: EditedRecord) => `${kind} ${recordId}`;

/** Starts the leader tab: it owns the connection, passes frames to the other tabs, and sends theirs. */
export function startLeader({ tab, after, records, open, take, reachable, broadcast }: LeaderOptions): Leader {
  const recent: ServerFrame[] = [];
  /** The sequence number from which on all changes are known here. */
  let began = after;
  let place = after;
  let works = true;
  const present = new Map<string, Status>();
  const editors = new Map<string, Extract<ServerFrame, { type: "record.editors" }>["data"]>();
  const edited = new Map<string, EditedRecord[]>([[tab, records]]);

  const keep = (frame: ServerFrame) => {
    if (frame.type === "presence.all") {
      present.clear();
      for (const { memberId, status } of frame.data.members) present.set(memberId, status);
    } else if (frame.type === "presence") present.set(frame.data.memberId, frame.data.status);
    else if (frame.type === "record.editors") editors.set(keyOf(frame.data), frame.data);
    else if (frame.type === "resync") {
      recent.length = 0;
      began = frame.id;
    } else if (!isTransient(frame)) {
      recent.push(frame);
      if (recent.length > kept) began = recent.shift()?.id;
    }
    place = frame.id;
  };
  const union = () => [...new Map([...edited.values()].flat().map((record) => [keyOf(record), record])).values()].slice(0, 20);
  const sendEdited = () => line.sendFrame({ type: "editing", data: { records: union() } });
  const edit = (from: string, next: EditedRecord[]) => {
    if (!edited.has(from) && next.length === 0) return;
    edited.set(from, next);
    sendEdited();
  };

  const line: RealtimeConnection = open({
    after,
    onFrame: (frame) => {
      keep(frame);
      take(frame);
      broadcast({ type: "frame", frame });
    },
    reachable: (yes) => {
      works = yes;
      reachable(yes);
      broadcast({ type: "reachable", reachable: yes });
    },
    opened: () => {
      if (union().length > 0) sendEdited();
    },
  });

  /** Returns the frames after a sequence number that a tab missed, and the current presence and editors. */
  const since = (from: number | undefined): ServerFrame[] => {
    const id = place ?? 0;
    const gap = place !== undefined && (from === undefined || began === undefined || from < began);
    const missed: ServerFrame[] = gap ? [{ type: "resync", id, data: {} }] : recent.filter((frame) => frame.id > (from ?? 0));
    const members = [...present].map(([memberId, status]) => ({ memberId, status }));
    const now: ServerFrame[] = members.length > 0 ? [{ type: "presence.all", id, data: { members } }] : [];
    return [...missed, ...now, ...[...editors.values()].map((data) => ({ type: "record.editors" as const, id, data }))];
  };

  return {
    receive: (message) => {
      if (message.type === "say") line.sendFrame(message.frame);
      else if (message.type === "edit") edit(message.tab, message.records);
      else if (message.type === "join") {
        line.check();
        if (!edited.has(message.tab)) {
          edited.set(message.tab, []);
          void navigator.locks.request(`atrium-line-tab-${message.tab}`, () => edit(message.tab, [])).catch(() => undefined);
        }
        if (message.records.length > 0) edit(message.tab, message.records);
        broadcast({ type: "welcome", tab: message.tab, frames: since(message.after), reachable: works });
      }
    },
    sendFrame: (frame) => line.sendFrame(frame),
    edit,
    end: () => line.close(),
  };
}
