import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { ErrorState } from "@/components/error-state";
import { useMay } from "@/features/account/data";
import { useNewEventPath } from "@/features/record-parts/concerned";
import type { NamedContact } from "@/features/record-parts/logging";
import { namedColour } from "@/lib/colours";
import { formatDate, zonedTime } from "@/lib/format";
import { addDays, isoDay } from "@/lib/zone";
import { openedState, pathOfKind } from "@/records/kinds";
import { type Meeting, nextMeetingQuery } from "./data";
import { RelatedSection } from "./related-section";

/** When an event begins: its day, and its time unless it lasts all day. */
function When({ event: { start, startDate = "" } }: { event: Meeting }) {
  const { t } = useTranslation();
  const day = start ? isoDay(new Date(start)) : startDate;
  const today = isoDay();
  const name =
    day === today
      ? t("ui.tasks.today")
      : day === addDays(today, 1)
        ? t("ui.tasks.tomorrow")
        : formatDate(day, {
            weekday: "short",
            day: "numeric",
            month: "short",
            ...(day.slice(0, 4) !== today.slice(0, 4) && { year: "numeric" }),
          });
  return (
    <time dateTime={start ?? day} className="tabular-nums first-letter:uppercase">
      {start ? `${name}, ${zonedTime(start)}` : name}
    </time>
  );
}

export interface NextMeetingProps {
  /** The record that is shown. */
  record: NamedContact;
  /** Whose meetings they are; without it, a new one can only be added. */
  attendee: { kind: "customer" | "organization"; id: string } | undefined;
}

/** The next event with a person or the people of an organization, and the way to add one. */
export function NextMeeting({ record, attendee }: NextMeetingProps) {
  const { t } = useTranslation();
  const mayRead = useMay("events.read");
  const mayWrite = useMay("events.write");
  const { kind = "customer", id = "" } = attendee ?? {};
  const query = useQuery({ ...nextMeetingQuery(kind, id), enabled: mayRead && attendee !== undefined });
  const data = attendee ? query.data : null;
  const to = useNewEventPath(record);
  if (!mayRead || (!mayWrite && !data)) return null;
  const occurrence = data?.on ? `?${new URLSearchParams({ on: data.on })}` : "";
  return (
    <RelatedSection
      id={`meeting-${record.id}`}
      title={t("ui.contact.nextMeeting")}
      add={mayWrite ? { to, label: t("ui.events.add"), state: openedState } : undefined}
    >
      {query.error && !query.data && <ErrorState error={query.error} onRetry={() => void query.refetch()} />}
      {data && (
        <Link
          to={`${pathOfKind("event")}/${data.id}${occurrence}`}
          state={openedState}
          className="mt-1 -mx-2 flex min-h-11 items-stretch gap-3 rounded-lg px-2 py-1.5 hover:bg-hover"
        >
          <span aria-hidden className="w-1 shrink-0 rounded-full" style={{ background: namedColour(data.color) }} />
          <span className="min-w-0">
            <span dir="auto" title={data.title} className="block truncate font-medium text-ink">
              {data.title}
            </span>
            <span className="block text-sm text-muted">
              <When event={data} />
            </span>
            {data.location && (
              <span dir="auto" title={data.location} className="block truncate text-sm text-muted">
                {data.location}
              </span>
            )}
          </span>
        </Link>
      )}
      {data === null && <p className="mt-1 text-muted">{t("ui.contact.noMeeting")}</p>}
    </RelatedSection>
  );
}
