import { CalendarPlus, CircleCheck, type LucideIcon, Mail, MapPin, NotebookPen, Phone } from "lucide-react";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import type { Customer } from "@/api/schema";
import { useMay } from "@/features/account/data";
import { useNewEventPath } from "@/features/record-parts/concerned";
import { addEntry, type NamedContact } from "@/features/record-parts/logging";
import { useLogText } from "@/features/record-parts/use-log-text";
import { phoneText } from "@/lib/countries";
import { cx } from "@/lib/cx";
import { mapLink } from "@/lib/map-link";
import { openedState } from "@/records/kinds";
import { PhoneLink } from "./phone-link";

/** How a person or organization is reached. */
export interface Reach extends Pick<Customer["details"], "phoneNumbers" | "emails"> {
  address?: string | undefined;
  /** Who is reached, where it is not the record itself. */
  name?: string | undefined;
}

export interface QuickActionsProps {
  record: NamedContact;
  reach: Reach;
  /** Whether there are only the four for on the way: call, email, map and log. */
  isShort?: boolean;
  /** Whether they are in the card of a list, without texts. */
  inCard?: boolean;
  className?: string;
}

const actionLook =
  "group flex w-11 flex-col items-center gap-1 rounded-lg text-[11px] leading-4 whitespace-nowrap text-soft hover:text-ink max-sm:flex-1 max-sm:text-xs @min-[24rem]:text-xs";
const circle =
  "grid place-items-center rounded-full bg-tint-soft text-on-tint transition-colors duration-150 group-hover:bg-tint pointer-coarse:size-11";

/** The picture of an action, and its text where there is room for one. */
function Face({ icon: Icon, text, inCard }: { icon: LucideIcon; text: string; inCard: boolean }) {
  return (
    <>
      <span className={cx(circle, inCard ? "size-11" : "size-10")}>
        <Icon aria-hidden size={18} />
      </span>
      {!inCard && <span>{text}</span>}
    </>
  );
}

/** Leads to the form of a new event. */
function EventAction({ record, label, children }: { record: NamedContact; label: string; children: ReactNode }) {
  return (
    <Link to={useNewEventPath(record)} state={openedState} aria-label={label} title={label} className={actionLook}>
      {children}
    </Link>
  );
}

/** What one press does with a record: call, write, show on a map, add a task or event, log. Only what it has data for. */
export function QuickActions({ record, reach, isShort = false, inCard = false, className }: QuickActionsProps) {
  const { t } = useTranslation();
  const logText = useLogText(record);
  const mayLog = useMay("comments.write");
  const mayAddTask = useMay("tasks.write");
  const mayAddEvent = useMay("events.write");
  const [phone] = reach.phoneNumbers;
  const [first] = reach.emails;
  const address = reach.address?.trim();
  const name = reach.name ?? record.name;
  const look = inCard ? "group" : actionLook;
  const face = (icon: LucideIcon, text: string) => <Face icon={icon} text={text} inCard={inCard} />;
  const map = address && t("ui.contact.mapNamed", { address: address.replaceAll(/\s*\n\s*/g, ", ") });
  const onTask = t("ui.contact.taskNamed", { name: record.name });
  return (
    <div
      role="group"
      aria-label={t("ui.contact.actions")}
      className={cx("no-print flex empty:hidden", inCard ? "w-full gap-3" : "gap-0.5 @min-[24rem]:sm:gap-5", className)}
    >
      {phone && (
        <PhoneLink
          record={record}
          phone={phone}
          called={name}
          aria-label={t("ui.contact.callNamed", { name })}
          title={phoneText(phone)}
          className={look}
        >
          {face(Phone, t("ui.contact.call"))}
        </PhoneLink>
      )}
      {first && (
        <a href={`mailto:${first.email}`} aria-label={t("ui.contact.emailNamed", { name })} title={first.email} className={look}>
          {face(Mail, t("ui.contact.email"))}
        </a>
      )}
      {address && (
        <a href={mapLink(address)} target="_blank" rel="noopener noreferrer" aria-label={map} title={map} className={look}>
          {face(MapPin, t("ui.contact.map"))}
        </a>
      )}
      {!isShort && mayLog && mayAddTask && (
        <button type="button" aria-label={onTask} title={onTask} onClick={() => addEntry(record, "task")} className={look}>
          {face(CircleCheck, t("ui.contact.task"))}
        </button>
      )}
      {!isShort && mayAddEvent && (
        <EventAction record={record} label={t("ui.contact.eventNamed", { name: record.name })}>
          {face(CalendarPlus, t("ui.contact.event"))}
        </EventAction>
      )}
      {mayLog && (
        <button type="button" aria-label={logText} title={logText} onClick={() => addEntry(record)} className={look}>
          {face(NotebookPen, t("ui.activities.logShort"))}
        </button>
      )}
    </div>
  );
}
