import { useQuery } from "@tanstack/react-query";
import { CalendarCheck, ChevronLeft, ChevronRight, MapPin, Plus, Repeat } from "lucide-react";
import { useRef } from "react";
import { useTranslation } from "react-i18next";
import { Link, Outlet, useNavigate, useParams } from "react-router";
import { Avatar } from "@/components/avatar";
import { Button } from "@/components/button";
import { ButtonLink } from "@/components/button-link";
import { Card } from "@/components/card";
import { EmptyState } from "@/components/empty-state";
import { ErrorState } from "@/components/error-state";
import { IconButton } from "@/components/icon-button";
import { Page } from "@/components/page";
import { PageHead } from "@/components/page-head";
import { SkeletonRows } from "@/components/skeleton";
import { useMay } from "@/features/account/data";
import { useMembers } from "@/features/team/data";
import { namedColour } from "@/lib/colours";
import { cx } from "@/lib/cx";
import { formatDate, mediumDate, shortTime, zoneName } from "@/lib/format";
import { calendarDay, oneOf } from "@/lib/search-params";
import { useAddressQuery } from "@/lib/use-address";
import { useListKeys } from "@/lib/use-list-keys";
import { addDays, isoDay } from "@/lib/zone";
import { openedState } from "@/records/kinds";
import { useTitle } from "@/shell/use-title";
import { eventsQuery } from "./data";
import { around, byDay, type Day, type Span } from "./days";
import { EventsList } from "./events-list";
import { type CalendarSpan, calendarSpans, SpanChoice } from "./span-choice";
import { useOccurrence } from "./use-event-address";

function Guests({ event }: { event: Day["events"][number]["event"] }) {
  const { find } = useMembers();
  const people = event.attendees.flatMap((one) => ("memberId" in one ? (find(one.memberId) ?? []) : []));
  if (people.length === 0) return null;
  return (
    <span className="hidden shrink-0 pr-1 sm:flex" title={people.map((one) => one.name).join(", ")}>
      {people.slice(0, 4).map((one) => (
        <Avatar key={one.id} name={one.name} src={one.avatar} size={26} className="-ml-1 rounded-full ring-2 ring-surface" />
      ))}
    </span>
  );
}

function Row({ item, to, current }: { item: Day["events"][number]; to: string; current: boolean }) {
  const { t } = useTranslation();
  const { event, first, last, number, count } = item;
  const times = () => {
    if (event.allDay || (!first && !last)) return [t("ui.events.allDay")];
    if (!first) return [t("ui.events.until", { time: shortTime(event.end ?? "") })];
    return last
      ? [shortTime(event.start ?? ""), shortTime(event.end ?? "")]
      : [t("ui.events.from", { time: shortTime(event.start ?? "") })];
  };
  const [start, end] = times();
  const zone = event.allDay || (!first && !last) ? undefined : zoneName(event.start ?? "");
  return (
    <li
      className={cx(
        "relative flex items-center gap-3 py-2.5 pr-4 pl-4 transition-colors duration-150 hover:bg-sunken sm:gap-4 sm:pl-5",
        current && "bg-tint-soft hover:bg-tint-soft",
      )}
    >
      <span className="w-18 shrink-0 text-right text-sm text-body tabular-nums sm:w-22">
        {start}
        {end && <span className="block text-muted">{end}</span>}
        {zone && <span className="block text-xs text-muted">{zone}</span>}
      </span>
      <span aria-hidden className="w-1 shrink-0 self-stretch rounded-full" style={{ background: namedColour(event.color) }} />
      <span className="min-w-0 flex-1">
        <Link
          to={to}
          state={openedState}
          preventScrollReset
          data-row
          dir="auto"
          className="block truncate font-medium text-ink outline-none after:absolute after:inset-0 after:content-[''] focus-visible:after:outline-2 focus-visible:after:-outline-offset-2 focus-visible:after:outline-primary"
        >
          {event.title}
        </Link>
        <span className="flex min-h-5 min-w-0 items-center gap-x-3 text-sm text-muted">
          {count > 1 && <span className="shrink-0">{t("ui.events.dayOf", { number, count })}</span>}
          {event.location && (
            <span dir="auto" className="inline-flex min-w-0 items-center gap-1">
              <MapPin aria-hidden size={14} />
              <span className="truncate">{event.location}</span>
            </span>
          )}
          {event.recurrence && (
            <span title={t("ui.events.repeats")} className="shrink-0">
              <Repeat aria-hidden size={14} />
              <span className="sr-only">{t("ui.events.repeats")}</span>
            </span>
          )}
        </span>
      </span>
      <Guests event={event} />
    </li>
  );
}

const parsers = { day: calendarDay, span: oneOf<CalendarSpan>(calendarSpans) };

/** The agenda of a week or a month, day by day. */
function Agenda({ span }: { span: Span }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { id: current } = useParams();
  const occurrence = useOccurrence();
  const { search, values, set } = useAddressQuery(parsers);
  const mayWrite = useMay("events.write");
  const list = useRef<HTMLDivElement>(null);
  useTitle(t("ui.events.title"));

  const today = isoDay();
  const { day = today } = values;
  const { from, to } = around(day, span);
  const { data, error, refetch, isPlaceholderData } = useQuery(eventsQuery(from, to));
  const days = data ? byDay(data, from, to, today) : [];
  const planned = days.some(({ events }) => events.length > 0);
  const query = search.size > 0 ? `?${search}` : "";
  useListKeys(list, mayWrite ? () => void navigate(`/events/new${query}`, { preventScrollReset: true }) : undefined);

  const show = (next: { day?: string | undefined; span?: CalendarSpan }) =>
    set({
      ...("day" in next && { day: next.day === today ? undefined : next.day }),
      ...(next.span && { span: next.span === "week" ? undefined : next.span }),
    });
  const title =
    span === "month"
      ? formatDate(from, { month: "long", year: "numeric" })
      : `${formatDate(from, { day: "numeric", month: "short" })} – ${mediumDate(addDays(to, -1))}`;

  return (
    <Page>
      <PageHead
        title={t("ui.events.title")}
        lead={t("ui.events.lead")}
        actions={
          mayWrite && (
            <ButtonLink to={`/events/new${query}`} state={openedState} preventScrollReset variant="primary" icon={Plus}>
              {t("ui.events.add")}
            </ButtonLink>
          )
        }
      />
      <Card flush>
        <div className="flex flex-wrap items-center gap-2 border-b border-line px-4 py-3.5">
          <Button size="sm" onClick={() => show({ day: undefined })} aria-disabled={(today >= from && today < to) || undefined}>
            {t("ui.events.today")}
          </Button>
          <span className="flex">
            <IconButton
              label={t("ui.action.previous")}
              icon={ChevronLeft}
              size="sm"
              onClick={() => show({ day: span === "month" ? addDays(from, -1) : addDays(from, -7) })}
            />
            <IconButton label={t("ui.action.next")} icon={ChevronRight} size="sm" onClick={() => show({ day: to })} />
          </span>
          <h2 aria-live="polite" className="mr-auto text-lg font-bold tracking-[-.01em] text-ink first-letter:uppercase">
            {title}
          </h2>
          <SpanChoice
            value={span}
            onChange={(value) => show({ span: value, day: value === "week" && today >= from && today < to ? undefined : day })}
          />
        </div>
        <div ref={list} className={cx("transition-opacity duration-150", isPlaceholderData && "opacity-60")}>
          {!data ? (
            error ? (
              <ErrorState error={error} onRetry={() => void refetch()} />
            ) : (
              <SkeletonRows rows={6} className="p-5" />
            )
          ) : planned ? (
            days.map(({ day: date, events }) => (
              <section
                key={date}
                aria-label={formatDate(date, { weekday: "long", day: "numeric", month: "long" })}
                className="border-t border-line first:border-0 sm:grid sm:grid-cols-[9rem_minmax(0,1fr)]"
              >
                <h3
                  className={cx(
                    "flex items-baseline gap-2 bg-sunken px-4 py-2 sm:flex-col sm:gap-0 sm:border-r sm:border-hover sm:px-5 sm:py-3.5",
                    date === today ? "text-accent" : "text-ink",
                  )}
                >
                  <span
                    className={cx(
                      "text-xl font-bold tabular-nums",
                      date === today && "-ml-1.5 rounded-lg bg-primary px-1.5 text-on-primary sm:self-start",
                    )}
                  >
                    {formatDate(date, date.slice(0, 7) === from.slice(0, 7) ? { day: "numeric" } : { day: "numeric", month: "short" })}
                  </span>
                  <span className={cx("inline-block text-sm first-letter:uppercase", date === today ? "font-semibold" : "text-muted")}>
                    {date === today ? t("ui.events.today") : formatDate(date, { weekday: "long" })}
                  </span>
                </h3>
                {events.length > 0 ? (
                  <ul className="divide-y divide-hover self-center">
                    {events.map((item) => (
                      <Row
                        key={`${item.event.eventId} ${item.event.occurrence}`}
                        item={item}
                        to={`/events/${item.event.eventId}${at(search, item.event.recurrence ? item.event.occurrence : undefined)}`}
                        current={item.event.eventId === current && (!occurrence || item.event.occurrence === occurrence)}
                      />
                    ))}
                  </ul>
                ) : (
                  <p className="self-center px-5 py-3.5 text-muted">{t("ui.events.freeDay")}</p>
                )}
              </section>
            ))
          ) : (
            <EmptyState
              icon={CalendarCheck}
              title={span === "month" ? t("ui.events.emptyMonth") : t("ui.events.emptyWeek")}
              text={t("ui.events.emptyText")}
              action={
                mayWrite && (
                  <ButtonLink to={`/events/new${query}`} state={openedState} preventScrollReset variant="primary" icon={Plus}>
                    {t("ui.events.add")}
                  </ButtonLink>
                )
              }
            />
          )}
        </div>
      </Card>
      <Outlet />
    </Page>
  );
}

/** The calendar: the agenda of a week or a month, or all events as a list. */
export function EventsPage() {
  const { span = "week" } = useAddressQuery(parsers).values;
  return span === "list" ? <EventsList /> : <Agenda span={span} />;
}

/** Returns the address's query with the given occurrence of a repeating event. */
function at(search: URLSearchParams, occurrence: string | undefined): string {
  const params = new URLSearchParams(search);
  if (occurrence) params.set("on", occurrence);
  else params.delete("on");
  return params.size > 0 ? `?${params}` : "";
}
