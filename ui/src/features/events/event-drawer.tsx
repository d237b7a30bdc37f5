import { useQuery } from "@tanstack/react-query";
import { AlignLeft, Bell, Clock, MapPin, Repeat, Users } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Link, useParams, useSearchParams } from "react-router";
import type { CalendarEvent, EventScope } from "@/api/schema";
import { ConfirmDialog } from "@/components/confirm-dialog";
import { Fact } from "@/components/fact";
import { NewRecordDrawer, RecordDrawer } from "@/features/records/record-drawer";
import { useRecordAddress } from "@/features/records/use-record-address";
import type { FormPlace } from "@/features/records/use-record-form";
import { Person } from "@/features/team/person";
import { eventColour } from "@/lib/colours";
import { formatDate } from "@/lib/format";
import { calendarDay, occurrenceStart, readSearchParams } from "@/lib/search-params";
import { isoDay } from "@/lib/zone";
import { titleQuery } from "@/records/record-titles";
import { eventQuery, useShortenSeries } from "./data";
import { EventForm } from "./event-form";
import { parseRule } from "./recurrence";
import { reminderText } from "./reminder-text";
import { ScopeChoice } from "./scope-choice";
import { whenText } from "./when";

const title = (event: CalendarEvent) => event.title;

function Guest({ id }: { id: string }) {
  const { data } = useQuery(titleQuery("customer", id));
  if (!data) return null;
  return (
    <Link to={`/customers/${id}`} className="text-accent hover:underline">
      {data}
    </Link>
  );
}

function Details({ event }: { event: CalendarEvent }) {
  const { t } = useTranslation();
  const [day, time] = whenText(event, t("ui.events.allDay"));
  const { frequency, until } = parseRule(event.recurrence);
  return (
    <div className="px-5 pt-5 sm:px-6">
      <div className="flex gap-4">
        <span aria-hidden className="w-1.5 shrink-0 rounded-full" style={{ background: eventColour(event.color) }} />
        <h2 dir="auto" className="text-[24px] leading-8 font-title tracking-[-.022em] text-ink [overflow-wrap:anywhere]">
          {event.title}
        </h2>
      </div>
      <dl className="mt-6 grid grid-cols-1 gap-4">
        <Fact icon={Clock} label={t("ui.events.when")}>
          <span className="inline-block font-medium text-ink first-letter:uppercase">{day}</span>
          <span className="block text-soft tabular-nums">{time}</span>
        </Fact>
        {frequency !== "none" && (
          <Fact icon={Repeat} label={t("ui.events.repeat")}>
            {t(`ui.events.frequencies.${frequency}`)}
            {until && ` · ${t("ui.events.untilDay", { date: formatDate(until, { dateStyle: "long" }) })}`}
          </Fact>
        )}
        {event.location && (
          <Fact icon={MapPin} label={t("ui.events.location")}>
            <span dir="auto">{event.location}</span>
          </Fact>
        )}
        {event.attendees.length > 0 && (
          <Fact icon={Users} label={t("ui.events.attendees")}>
            <ul className="grid grid-cols-1 gap-2">
              {event.attendees.map((one) =>
                "memberId" in one && one.memberId ? (
                  <li key={one.memberId}>
                    <Person id={one.memberId} />
                  </li>
                ) : "customerId" in one && one.customerId ? (
                  <li key={one.customerId}>
                    <Guest id={one.customerId} />
                  </li>
                ) : null,
              )}
            </ul>
          </Fact>
        )}
        {event.reminders.length > 0 && (
          <Fact icon={Bell} label={t("ui.events.reminder")}>
            {event.reminders.map((minutes) => reminderText(t, String(minutes))).join(", ")}
          </Fact>
        )}
        {event.description && (
          <Fact icon={AlignLeft} label={t("ui.events.description")}>
            <p dir="auto" className="whitespace-pre-line">
              {event.description}
            </p>
          </Fact>
        )}
      </dl>
    </div>
  );
}

const useAddress = () => useRecordAddress("event", "on");

export function NewEventDrawer() {
  const [search] = useSearchParams();
  const day = readSearchParams(search, { day: calendarDay }).day ?? isoDay();
  return (
    <NewRecordDrawer
      kind="event"
      address={useAddress()}
      title={title}
      form={(place: FormPlace<CalendarEvent>) => <EventForm {...place} day={day} />}
    />
  );
}

function Shown({ id, occurrence }: { id: string; occurrence: string | undefined }) {
  const { t } = useTranslation();
  const address = useAddress();
  const shorten = useShortenSeries();
  /** The series whose deletion is asked about. */
  const [asked, setAsked] = useState<{ event: CalendarEvent; whole: () => void }>();
  const [scope, setScope] = useState<EventScope>("following");
  const isPart = scope === "following" && occurrence !== undefined;
  const isLeaving = shorten.isPending || shorten.isSuccess;
  return (
    <RecordDrawer
      kind="event"
      id={id}
      query={{ ...eventQuery(id, occurrence), enabled: !isLeaving }}
      address={address}
      title={title}
      // Deleting a series asks how much of it.
      remove={(event, whole) => (event.recurrence ? setAsked({ event, whole }) : whole())}
      view={(event) => <Details event={event} />}
      form={(place) => (
        <EventForm
          {...place}
          occurrence={occurrence}
          day={isoDay()}
          onSaved={(saved, shown) => {
            place.onSaved(saved);
            address.toRecord(saved.id, shown);
          }}
        />
      )}
    >
      {asked && (
        <ConfirmDialog
          title={t("ui.events.deleteTitle", { title: asked.event.title })}
          text={isPart ? t("ui.events.deleteFollowing") : t("ui.events.deleteSeries")}
          confirm={t("ui.action.delete")}
          isOpen
          onOpenChange={() => setAsked(undefined)}
          onConfirm={() => {
            if (isPart) shorten.mutate({ id, title: asked.event.title, occurrence }, { onSuccess: address.toList });
            else asked.whole();
          }}
        >
          {occurrence && <ScopeChoice value={scope} onChange={setScope} className="mt-2 mb-1 flex-wrap" />}
        </ConfirmDialog>
      )}
    </RecordDrawer>
  );
}

/** An event beside the agenda. */
export function EventDrawer() {
  const { id = "" } = useParams();
  const [search] = useSearchParams();
  const { on: occurrence } = readSearchParams(search, { on: occurrenceStart });
  return <Shown key={`${id} ${occurrence}`} id={id} occurrence={occurrence} />;
}
