import type { Notice } from "@/api/schema";
import type { NoticeKind } from "./data";

type Hear = (kind: NoticeKind, notice: Notice) => unknown;
const hearers = new Set<Hear>();

/** Hears of every message and notification that comes in unread, until the answered function is called. */
export function hearArrivals(hear: Hear): () => void {
  hearers.add(hear);
  return () => hearers.delete(hear);
}

/** Tells of one that came in. */
export function tellArrival(kind: NoticeKind, notice: Notice) {
  for (const hear of hearers) hear(kind, notice);
}
