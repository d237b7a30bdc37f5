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

/**
 * Transient frames (docs/socket.md) matter only now and have the last change's sequence number: a missed one does not
 * count as a lost connection. A tab that joins later gets the present state of presence and editors, not the frames.
 */
const transientTypes = new Set<ServerFrame["type"]>(["presence", "presence.all", "record.editors", "chat.typing"]);
export const isTransient = (frame: ServerFrame) => transientTypes.has(frame.type);

/** Maximum records of one `editing` frame; the server closes the socket after a longer one (`features/live/client_frames.rs`). */
export const maxEditedRecords = 20;

export type OpenConnection = (options: {
  after: number | undefined;
  onFrame: (frame: ServerFrame) => void;
  onReachable: (yes: boolean) => void;
  onOpen: () => void;
}) => RealtimeConnection;
