import type { ClientFrame, EditedRecord, ServerFrame } from "../schema";
import type { RealtimeConnection } from "./connection";

/** What the tabs of a browser say to each other about their line. */
export type TabMessage =
  | { type: "leading" }
  | { type: "join"; tab: string; after: number | undefined; records: EditedRecord[] }
  | { type: "edit"; tab: string; records: EditedRecord[] }
  | { type: "welcome"; tab: string; frames: ServerFrame[]; reachable: boolean }
  | { type: "frame"; frame: ServerFrame }
  | { type: "reachable"; reachable: boolean }
  | { type: "say"; frame: ClientFrame };

/** Frames that say what happened, at a place of their own; the others only say how it is now. */
const transientTypes = new Set<ServerFrame["type"]>(["presence", "presence.all", "record.editors", "chat.typing"]);
export const isTransient = (frame: ServerFrame) => transientTypes.has(frame.type);

export type OpenConnection = (options: {
  after: number | undefined;
  onFrame: (frame: ServerFrame) => void;
  reachable: (yes: boolean) => void;
  opened: () => void;
}) => RealtimeConnection;
