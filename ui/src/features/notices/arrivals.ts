import type { Notice } from "@/api/schema";
import type { NoticeKind } from "./data";

type Hear = (kind: NoticeKind, notice: Notice) => unknown;
const hearers = new Set<Hear>();

/** Calls back for every message and notification that arrives unread, until the returned function is called. */
export function hearArrivals(hear: Hear): () => void {
  hearers.add(hear);
  return () => hearers.delete(hear);
}

/** Announces one that has arrived. */
export function tellArrival(kind: NoticeKind, notice: Notice) {
  for (const hear of hearers) hear(kind, notice);
}
