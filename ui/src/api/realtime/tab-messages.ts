import type { ClientFrame, EditedRecord, ServerFrame } from "../schema";
import type { RealtimeConnection } from "./connection";

/** Messages between the tabs of a browser about their shared connection. */
export type TabMessage =
  | { type: "leading" }
  | { type: "join"; tab: string; after: number | undefined; records: EditedRecord[] }
  | { type: "edit"; tab: string; records: EditedRecord[] }
  | { type: "welcome"; tab: string; frames: ServerFrame[]; reachable: boolean }
  | { type: "frame"; frame: ServerFrame }
  | { type: "reachable"; reachable: boolean }
  | { type: "say"; frame: ClientFrame };

/** Frame types that report a current state. All other frames report a change with its own sequence number. */
const transientTypes = new Set<ServerFrame["type"]>(["presence", "presence.all", "record.editors", "chat.typing"]);
export const isTransient = (frame: ServerFrame) => transientTypes.has(frame.type);

export type OpenConnection = (options: {
  after: number | undefined;
  onFrame: (frame: ServerFrame) => void;
  reachable: (yes: boolean) => void;
  opened: () => void;
}) => RealtimeConnection;
