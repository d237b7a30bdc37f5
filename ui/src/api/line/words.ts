import type { ClientFrame, EditedRecord, ServerFrame } from "../schema";
import type { Line } from "./line";

/** What the tabs of a browser say to each other about their line. */
export type Word =
  | { type: "leading" }
  | { type: "join"; tab: string; after: number | undefined; records: EditedRecord[] }
  | { type: "edit"; tab: string; records: EditedRecord[] }
  | { type: "welcome"; tab: string; frames: ServerFrame[]; reachable: boolean }
  | { type: "frame"; frame: ServerFrame }
  | { type: "reachable"; reachable: boolean }
  | { type: "say"; frame: ClientFrame };

/** Frames that say what happened, at a place of their own; the others only say how it is now. */
const passing = new Set<ServerFrame["type"]>(["presence", "presence.all", "record.editors", "chat.typing"]);
export const isPassing = (frame: ServerFrame) => passing.has(frame.type);

export type OpenLine = (options: {
  after: number | undefined;
  hear: (frame: ServerFrame) => void;
  reachable: (yes: boolean) => void;
  opened: () => void;
}) => Line;
