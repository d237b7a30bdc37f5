import { useTranslation } from "react-i18next";
import type { Status } from "@/api/schema";
import { cx } from "@/lib/cx";

const colours: Record<Status, string> = { online: "bg-online", away: "bg-away", busy: "bg-busy", "not-visible": "bg-gray-400" };

/** Shapes within the dot, so that the status does not depend on colour alone: a clock's hands, a bar, a hole. */
const signs: Record<Status, string | undefined> = {
  online: undefined,
  away: "M5.5 2.6v3.1l1.9 1.2",
  busy: "M3.2 5.5h4.6",
  "not-visible": "M5.5 3.4a2.1 2.1 0 1 1 0 4.2a2.1 2.1 0 1 1 0-4.2",
};

/** A dot for a member's presence; put its meaning beside it or into the accessible name around it. */
export function Presence({ status, className }: { status: Status; className?: string }) {
  return (
    <span aria-hidden data-status={status} className={cx("inline-block size-2.75 shrink-0 rounded-full", colours[status], className)}>
      {signs[status] && (
        <svg aria-hidden viewBox="0 0 11 11" className="block size-full" fill="none" stroke="#fff" strokeWidth={1.6} strokeLinecap="round">
          <path d={signs[status]} />
        </svg>
      )}
    </span>
  );
}

/** The dot and its meaning. */
export function PresenceLabel({ status, className }: { status: Status; className?: string }) {
  const { t } = useTranslation();
  return (
    <span className={cx("inline-flex items-center gap-2 whitespace-nowrap", className)}>
      <Presence status={status} />
      {t(`ui.status.${status}`)}
    </span>
  );
}
