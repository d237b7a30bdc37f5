import type { Notice } from "@/api/schema";
import type { NoticeKind } from "./data";

type ArrivalListener = (kind: NoticeKind, notice: Notice) => unknown;
const listeners = new Set<ArrivalListener>();

/** Calls back for every message and notification that arrives unread, until the returned function is called. */
export function listenForArrivals(listener: ArrivalListener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Announces one that has arrived. */
export function announceArrival(kind: NoticeKind, notice: Notice) {
  for (const listener of listeners) listener(kind, notice);
}
