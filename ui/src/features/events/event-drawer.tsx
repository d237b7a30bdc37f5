import { AlignLeft, Bell, Clock, MapPin, Repeat, Users } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useParams } from "react-router";
import type { CalendarEvent, EventScope } from "@/api/schema";
import { ConfirmDialog } from "@/components/confirm-dialog";
import { AttendeeList } from "@/features/records/attendees";
import { EditableFact } from "@/features/records/editable-fact";
import { NewRecordDrawer, RecordDrawer } from "@/features/records/record-drawer";
import { RecordFacts } from "@/features/records/record-facts";
import { useFactEditing } from "@/features/records/use-facts";
import { namedColour } from "@/lib/colours";
import { formatDate } from "@/lib/format";
import { eventQuery, useShortenSeries } from "./data";
import { EventForm } from "./event-form";
import { parseRule } from "./recurrence";
import { reminderText } from "./reminder-text";
import { ScopeChoice } from "./scope-choice";
import { useEventAddress, useOccurrence } from "./use-event-address";
import { whenText } from "./when";

/** What is known of an event; text and people are edited where they stand, times in the form. */
function EventView({ record: event }: { record: CalendarEvent }) {
  const { t } = useTranslation();
  // With the changes that are not saved yet.
  const { title, attendees } = { ...event, ...(useFactEditing()?.values as Partial<CalendarEvent> | undefined) };
  const [day, time] = whenText(event, t("ui.events.allDay"));
  const { frequency, until } = parseRule(event.recurrence);
  return (
    <div className="px-5 pt-5 sm:px-6">
      <div className="flex gap-4">
        <span aria-hidden className="w-1.5 shrink-0 rounded-full" style={{ background: namedColour(event.color) }} />
        <EditableFact kind="event" input="title" className="min-w-0 flex-1">
          <h2 dir="auto" className="text-[24px] leading-8 font-title tracking-[-.022em] text-ink [overflow-wrap:anywhere]">
            {title}
          </h2>
        </EditableFact>
      </div>
      <RecordFacts
        kind="event"
        record={event}
        facts={[
          {
            input: "when",
            icon: Clock,
            show: (
              <>
                <span className="inline-block font-medium text-ink first-letter:uppercase">{day}</span>
                <span className="block text-soft tabular-nums">{time}</span>
              </>
            ),
          },
          {
            input: "recurrence",
            icon: Repeat,
            show: frequency !== "none" && (
              <>
                {t(`ui.events.frequencies.${frequency}`)}
                {until && ` · ${t("ui.events.untilDay", { date: formatDate(until, { dateStyle: "long" }) })}`}
              </>
            ),
          },
          { input: "location", icon: MapPin },
          {
            input: "attendees",
            icon: Users,
            show: attendees.length > 0 && <AttendeeList attendees={attendees} />,
          },
          {
            input: "reminders",
            icon: Bell,
            show: event.reminders.map((minutes) => reminderText(t, String(minutes))).join(", "),
          },
          { input: "description", icon: AlignLeft },
        ]}
      />
    </div>
  );
}

export const NewEventDrawer = () => <NewRecordDrawer kind="event" address={useEventAddress()} form={EventForm} />;

function ShownEvent({ occurrence }: { occurrence: string | undefined }) {
  const { t } = useTranslation();
  const { id = "" } = useParams();
  const address = useEventAddress();
  const shorten = useShortenSeries();
  /** The series whose deletion is asked about. */
  const [asked, setAsked] = useState<{ event: CalendarEvent; whole: () => void }>();
  const [scope, setScope] = useState<EventScope>("following");
  const isPart = scope === "following" && occurrence !== undefined;
  const isLeaving = shorten.isPending || shorten.isSuccess;
  return (
    <RecordDrawer
      kind="event"
      query={{ ...eventQuery(id, occurrence), enabled: !isLeaving }}
      address={address}
      // Deleting a series asks how much of it.
      remove={(event, whole) => (event.recurrence ? setAsked({ event, whole }) : whole())}
      // A change of a series asks how much of it, in the form.
      inPlace={({ recurrence }) => !recurrence}
      view={EventView}
      form={EventForm}
    >
      {asked && (
        <ConfirmDialog
          title={t("ui.events.deleteTitle", { title: asked.event.title })}
          text={isPart ? t("ui.events.deleteFollowing") : t("ui.events.deleteSeries")}
          confirm={t("ui.action.delete")}
          isOpen
          onOpenChange={() => setAsked(undefined)}
          onConfirm={() => {
            if (isPart) shorten.mutate({ event: asked.event, occurrence }, { onSuccess: address.toList });
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
  const { id } = useParams();
  const occurrence = useOccurrence();
  return <ShownEvent key={`${id} ${occurrence}`} occurrence={occurrence} />;
}
