import type { ClientFrame, EditedRecord, ServerFrame, Status } from "../schema";
import type { Line } from "./line";
import { isPassing, type OpenLine, type Word } from "./words";

/** Frames that are kept for tabs that come later. */
const kept = 500;

export interface LeaderOptions {
  tab: string;
  after: number | undefined;
  records: EditedRecord[];
  open: OpenLine;
  /** Takes a frame in the leader's own tab. */
  take: (frame: ServerFrame) => void;
  reachable: (yes: boolean) => void;
  tell: (word: Word) => void;
}

export interface Leader {
  heard: (word: Word) => void;
  say: (frame: ClientFrame) => void;
  edit: (tab: string, records: EditedRecord[]) => void;
  end: () => void;
}

const keyOf = ({ kind, recordId }: EditedRecord) => `${kind} ${recordId}`;

/** The tab that has the line: it passes on what it hears, and says what all tabs say. */
export function lead({ tab, after, records, open, take, reachable, tell }: LeaderOptions): Leader {
  const recent: ServerFrame[] = [];
  /** From where on what happened is known here. */
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
    } else if (!isPassing(frame)) {
      recent.push(frame);
      if (recent.length > kept) began = recent.shift()?.id;
    }
    place = frame.id;
  };
  const union = () => [...new Map([...edited.values()].flat().map((record) => [keyOf(record), record])).values()].slice(0, 20);
  const sayEdited = () => line.say({ type: "editing", data: { records: union() } });
  const edit = (from: string, next: EditedRecord[]) => {
    if (!edited.has(from) && next.length === 0) return;
    edited.set(from, next);
    sayEdited();
  };

  const line: Line = open({
    after,
    hear: (frame) => {
      keep(frame);
      take(frame);
      tell({ type: "frame", frame });
    },
    reachable: (yes) => {
      works = yes;
      reachable(yes);
      tell({ type: "reachable", reachable: yes });
    },
    opened: () => {
      if (union().length > 0) sayEdited();
    },
  });

  /** What a tab has missed that read its screen at a place, and how it is now. */
  const since = (from: number | undefined): ServerFrame[] => {
    const id = place ?? 0;
    const gap = place !== undefined && (from === undefined || began === undefined || from < began);
    const missed: ServerFrame[] = gap ? [{ type: "resync", id, data: {} }] : recent.filter((frame) => frame.id > (from ?? 0));
    const members = [...present].map(([memberId, status]) => ({ memberId, status }));
    const now: ServerFrame[] = members.length > 0 ? [{ type: "presence.all", id, data: { members } }] : [];
    return [...missed, ...now, ...[...editors.values()].map((data) => ({ type: "record.editors" as const, id, data }))];
  };

  return {
    heard: (word) => {
      if (word.type === "say") line.say(word.frame);
      else if (word.type === "edit") edit(word.tab, word.records);
      else if (word.type === "join") {
        line.check();
        if (!edited.has(word.tab)) {
          edited.set(word.tab, []);
          void navigator.locks.request(`atrium-line-tab-${word.tab}`, () => edit(word.tab, [])).catch(() => undefined);
        }
        if (word.records.length > 0) edit(word.tab, word.records);
        tell({ type: "welcome", tab: word.tab, frames: since(word.after), reachable: works });
      }
    },
    say: (frame) => line.say(frame),
    edit,
    end: () => line.close(),
  };
}
