import { useQuery } from "@tanstack/react-query";
import { AlignLeft, Bell, Clock, MapPin, Pencil, Repeat, Trash2, Users, X } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Link, useLocation, useNavigate, useParams, useSearchParams } from "react-router";
import type { CalendarEvent, EventScope } from "@/api/schema";
import { Button } from "@/components/button";
import { ConfirmDialog } from "@/components/confirm-dialog";
import { Drawer } from "@/components/drawer";
import { DrawerHead } from "@/components/drawer-head";
import { ErrorState } from "@/components/error-state";
import { Fact } from "@/components/fact";
import { IconButton } from "@/components/icon-button";
import { SkeletonRows } from "@/components/skeleton";
import { useMay } from "@/features/account/data";
import { useMayDelete } from "@/features/account/may-delete";
import { customerQuery } from "@/features/customers/data";
import { RecordFields } from "@/features/fields/record-fields";
import { Files } from "@/features/record-parts/files";
import { Timeline } from "@/features/record-parts/timeline";
import { Person } from "@/features/team/person";
import { eventColour } from "@/lib/colours";
import { formatDate } from "@/lib/format";
import { calendarDay, occurrenceStart, readSearchParams } from "@/lib/search-params";
import { toast } from "@/lib/toast";
import { isoDay } from "@/lib/zone";
import { useIsRemoved } from "@/records/removed";
import { useRemove } from "@/records/use-remove";
import { useTitle } from "@/shell/use-title";
import { eventQuery, useShortenSeries } from "./data";
import { EventForm } from "./event-form";
import { parseRule } from "./recurrence";
import { reminderText } from "./reminder-text";
import { ScopeChoice } from "./scope-choice";
import { whenText } from "./when";

const width = "sm:!w-140";

function useBack() {
  const navigate = useNavigate();
  const { search } = useLocation();
  const params = new URLSearchParams(search);
  params.delete("on");
  const query = params.size > 0 ? `?${params}` : "";
  return {
    toList: () => void navigate(`/events${query}`, { preventScrollReset: true }),
    toEvent: (id: string, occurrence?: string) => {
      if (occurrence) params.set("on", occurrence);
      const shown = params.size > 0 ? `?${params}` : "";
      void navigate(`/events/${id}${shown}`, { preventScrollReset: true, replace: true });
    },
  };
}

export function NewEventDrawer() {
  const { t } = useTranslation();
  const back = useBack();
  const [search] = useSearchParams();
  useTitle(t("ui.events.add"));
  return (
    <Drawer label={t("ui.events.add")} isOpen onOpenChange={back.toList} className={width}>
      <DrawerHead title={t("ui.events.add")} onClose={back.toList} />
      <EventForm
        event={undefined}
        day={readSearchParams(search, { day: calendarDay }).day ?? isoDay()}
        onCancel={back.toList}
        onSaved={({ id, title }) => {
          toast.success(t("ui.events.added", { title }));
          back.toEvent(id);
        }}
      />
    </Drawer>
  );
}

function Guest({ id }: { id: string }) {
  const { data } = useQuery(customerQuery(id));
  if (!data) return null;
  return (
    <Link to={`/customers/${id}`} className="text-accent hover:underline">
      {data.name}
    </Link>
  );
}

function Details({ event }: { event: CalendarEvent }) {
  const { t } = useTranslation();
  const [day, time] = whenText(event, t("ui.events.allDay"));
  const { frequency, until } = parseRule(event.recurrence);
  return (
    <div className="min-h-0 flex-1 overflow-y-auto px-5 pt-5 pb-8 sm:px-6">
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
      <RecordFields kind="event" id={event.id} values={event.fields} className="mt-7 border-t border-line pt-4" />
      <Files kind="event" id={event.id} className="mt-7 border-t border-line pt-4" />
      <Timeline kind="event" id={event.id} className="mt-7 border-t border-line pt-5" />
    </div>
  );
}

function Shown({ id, occurrence }: { id: string; occurrence: string | undefined }) {
  const { t } = useTranslation();
  const back = useBack();
  const remove = useRemove("event");
  const shorten = useShortenSeries();
  const isLeaving = useIsRemoved(id) || shorten.isPending || shorten.isSuccess;
  const { data, error, refetch } = useQuery({ ...eventQuery(id, occurrence), enabled: !isLeaving });
  const mayWrite = useMay("events.write");
  const mayDelete = useMayDelete("event");
  const [editing, setEditing] = useState(false);
  const [asking, setAsking] = useState(false);
  const [scope, setScope] = useState<EventScope>("following");
  const choice = data?.recurrence && occurrence ? scope : undefined;
  useTitle(data?.title ?? t("ui.events.title"));
  const whole = () => remove.mutate({ id, title: data?.title ?? "" }, { onSuccess: back.toList });
  // Deleting a series asks how much of it.
  const askOrRemove = () => (data?.recurrence ? setAsking(true) : whole());
  return (
    <Drawer label={data?.title ?? t("ui.events.title")} isOpen onOpenChange={back.toList} className={width}>
      {!data ? (
        <>
          <DrawerHead title={t("ui.events.title")} onClose={back.toList} />
          {error ? <ErrorState error={error} onRetry={() => void refetch()} /> : <SkeletonRows className="p-6" />}
        </>
      ) : editing ? (
        <>
          <DrawerHead title={t("ui.events.edit")} onClose={back.toList} />
          <EventForm
            event={data}
            occurrence={occurrence}
            day={isoDay()}
            onCancel={() => setEditing(false)}
            onSaved={(saved, shown) => {
              setEditing(false);
              back.toEvent(saved.id, shown);
            }}
            onDelete={mayDelete(data) ? askOrRemove : undefined}
          />
        </>
      ) : (
        <>
          <header className="flex items-center justify-end gap-1 border-b border-line py-2.5 pr-3 pl-5">
            {mayWrite && (
              <Button data-refocus size="sm" icon={Pencil} className="mr-auto" onClick={() => setEditing(true)}>
                {t("ui.action.edit")}
              </Button>
            )}
            {mayDelete(data) && <IconButton label={t("ui.action.delete")} icon={Trash2} tone="danger" onClick={askOrRemove} />}
            <IconButton label={t("ui.action.close")} icon={X} onClick={back.toList} />
          </header>
          <Details event={data} />
        </>
      )}
      {data?.recurrence && (
        <ConfirmDialog
          title={t("ui.events.deleteTitle", { title: data.title })}
          text={choice === "following" ? t("ui.events.deleteFollowing") : t("ui.events.deleteSeries")}
          confirm={t("ui.action.delete")}
          isOpen={asking}
          onOpenChange={setAsking}
          onConfirm={() => {
            if (choice === "following" && occurrence) shorten.mutate({ id, title: data.title, occurrence }, { onSuccess: back.toList });
            else whole();
          }}
        >
          {choice && <ScopeChoice value={choice} onChange={setScope} className="mt-2 mb-1 flex-wrap" />}
        </ConfirmDialog>
      )}
    </Drawer>
  );
}

/** An event beside the agenda: view first, and a form to edit it. */
export function EventDrawer() {
  const { id = "" } = useParams();
  const [search] = useSearchParams();
  const { on: occurrence } = readSearchParams(search, { on: occurrenceStart });
  return <Shown key={`${id} ${occurrence}`} id={id} occurrence={occurrence} />;
}
