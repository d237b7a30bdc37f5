import type { ClientFrame, EditedRecord, ServerFrame, Status } from "../schema";
import type { RealtimeConnection } from "./connection";
import { isTransient, maxEditedRecords, type OpenConnection, type TabMessage } from "./tab-messages";

/** Maximum frames kept for tabs that join later. */
const maxKeptFrames = 500;

export interface LeaderOptions {
  tab: string;
  after: number | undefined;
  records: EditedRecord[];
  open: OpenConnection;
  /** Passes a frame to the leader's own tab. */
  takeFrame: (frame: ServerFrame) => void;
  onReachable: (yes: boolean) => void;
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
export function startLeader({ tab, after, records, open, takeFrame, onReachable, broadcast }: LeaderOptions): Leader {
  const keptFrames: ServerFrame[] = [];
  /** `keptFrames` has all changes after this sequence number; a tab that has read less must read all again. */
  let keptSince = after;
  let lastSequence = after;
  let isReachable = true;
  const presence = new Map<string, Status>();
  const editors = new Map<string, Extract<ServerFrame, { type: "record.editors" }>["data"]>();
  const edited = new Map<string, EditedRecord[]>([[tab, records]]);

  const keepFrame = (frame: ServerFrame) => {
    if (frame.type === "presence.all") {
      presence.clear();
      for (const { memberId, status } of frame.data.members) presence.set(memberId, status);
    } else if (frame.type === "presence") presence.set(frame.data.memberId, frame.data.status);
    else if (frame.type === "record.editors") editors.set(keyOf(frame.data), frame.data);
    else if (frame.type === "resync") {
      keptFrames.length = 0;
      keptSince = frame.id;
    } else if (!isTransient(frame)) {
      keptFrames.push(frame);
      if (keptFrames.length > maxKeptFrames) keptSince = keptFrames.shift()?.id;
    }
    lastSequence = frame.id;
  };
  const editedRecords = () =>
    [...new Map([...edited.values()].flat().map((record) => [keyOf(record), record])).values()].slice(0, maxEditedRecords);
  const sendEdited = () => connection.sendFrame({ type: "editing", data: { records: editedRecords() } });
  const edit = (from: string, next: EditedRecord[]) => {
    if (!edited.has(from) && next.length === 0) return;
    edited.set(from, next);
    sendEdited();
  };

  const connection: RealtimeConnection = open({
    after,
    onFrame: (frame) => {
      keepFrame(frame);
      takeFrame(frame);
      broadcast({ type: "frame", frame });
    },
    onReachable: (yes) => {
      isReachable = yes;
      onReachable(yes);
      broadcast({ type: "reachable", reachable: yes });
    },
    onOpen: () => {
      if (editedRecords().length > 0) sendEdited();
    },
  });

  /** Returns the frames after a sequence number that a tab missed, and the current presence and editors. */
  const framesSince = (from: number | undefined): ServerFrame[] => {
    const id = lastSequence ?? 0;
    const gap = lastSequence !== undefined && (from === undefined || keptSince === undefined || from < keptSince);
    const missed: ServerFrame[] = gap ? [{ type: "resync", id, data: {} }] : keptFrames.filter((frame) => frame.id > (from ?? 0));
    const members = [...presence].map(([memberId, status]) => ({ memberId, status }));
    const now: ServerFrame[] = members.length > 0 ? [{ type: "presence.all", id, data: { members } }] : [];
    return [...missed, ...now, ...[...editors.values()].map((data) => ({ type: "record.editors" as const, id, data }))];
  };

  return {
    receive: (message) => {
      if (message.type === "say") connection.sendFrame(message.frame);
      else if (message.type === "edit") edit(message.tab, message.records);
      else if (message.type === "join") {
        connection.check();
        if (!edited.has(message.tab)) {
          edited.set(message.tab, []);
          void navigator.locks.request(`atrium-line-tab-${message.tab}`, () => edit(message.tab, [])).catch(() => undefined);
        }
        if (message.records.length > 0) edit(message.tab, message.records);
        broadcast({ type: "welcome", tab: message.tab, frames: framesSince(message.after), reachable: isReachable });
      }
    },
    sendFrame: (frame) => connection.sendFrame(frame),
    edit,
    end: () => connection.close(),
  };
}
