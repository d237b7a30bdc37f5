import { create } from "zustand";
import { api } from "./client";
import type { ClientFrame, EditedRecord } from "./schema";

/**
 * The part of the line to the server that screens use: it is small, because every screen has it. The line
 * itself is in `line/` and comes after the first screen.
 */

/** Whether the server can be reached, as far as the line knows. */
export const useLive = create<{ reachable: boolean }>(() => ({ reachable: true }));

/** Where the server is now: what happens after it is news. */
export async function presentPlace(): Promise<number> {
  return (await api.get<{ at: number }>("/api/live")).at;
}

/** What takes this tab's words to the server. */
export interface Outlet {
  sendFrame: (frame: ClientFrame) => void;
  /** All that is being edited in this tab. */
  edit: (records: EditedRecord[]) => void;
}

let outlet: Outlet | undefined;
const edited = new Set<EditedRecord>();

/** Lets the line carry this tab's words, until the answered function is called. */
export function carry(by: Outlet): () => void {
  outlet = by;
  if (edited.size > 0) by.edit([...edited]);
  return () => {
    if (outlet === by) outlet = undefined;
  };
}

/** Tells the server something that only matters now: without a line it is not said. */
export function sendFrame(frame: ClientFrame) {
  outlet?.sendFrame(frame);
}

/** Tells that a record is being edited in this tab, until the answered function is called. */
export function announceEditing(record: EditedRecord): () => void {
  const one = { ...record };
  edited.add(one);
  outlet?.edit([...edited]);
  return () => {
    edited.delete(one);
    outlet?.edit([...edited]);
  };
}
