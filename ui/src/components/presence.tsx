import type { Status } from "@/api/schema";
import { cx } from "@/lib/cx";

const colours: Record<Status, string> = { online: "bg-online", away: "bg-away", busy: "bg-busy", "not-visible": "bg-gray-400" };

/** The dot that says whether somebody is there; its meaning is written beside it where it matters. */
export function Presence({ status, className }: { status: Status; className?: string }) {
  return <span aria-hidden className={cx("inline-block size-2.75 shrink-0 rounded-full", colours[status], className)} />;
}
