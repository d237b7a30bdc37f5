import { create } from "zustand";
import { api } from "./client";
import type { ClientFrame, EditedRecord } from "./schema";

/**
 * The part of the real-time connection that screens use. It is small, because every screen loads it; the connection
 * itself is in `realtime/` and loads after the first screen.
 */

/** Whether the server is reachable, as far as the real-time connection knows. */
export const useLive = create<{ reachable: boolean }>(() => ({ reachable: true }));

/** Whether a request would reach no server, as far as the browser and the real-time connection know. */
export const isOffline = () => !navigator.onLine || !useLive.getState().reachable;

/** Returns the server's current sequence number; later changes have higher ones. */
export async function fetchSequence(): Promise<number> {
  return (await api.get("/api/live")).at;
}

/** Sends this tab's frames to the server. */
export interface FrameSender {
  sendFrame: (frame: ClientFrame) => void;
  /** Replaces the list of all records that are being edited in this tab. */
  edit: (records: EditedRecord[]) => void;
}

let sender: FrameSender | undefined;
const edited = new Set<EditedRecord>();

/** Sends this tab's frames through the given sender until the returned function is called. */
export function setFrameSender(next: FrameSender): () => void {
  sender = next;
  if (edited.size > 0) next.edit([...edited]);
  return () => {
    if (sender === next) sender = undefined;
  };
}

/** Sends a frame that matters only now; without a connection it is dropped. */
export function sendFrame(frame: ClientFrame) {
  sender?.sendFrame(frame);
}

/** Reports that a record is being edited in this tab, until the returned function is called. */
export function announceEditing(record: EditedRecord): () => void {
  const one = { ...record };
  edited.add(one);
  sender?.edit([...edited]);
  return () => {
    edited.delete(one);
    sender?.edit([...edited]);
  };
}
