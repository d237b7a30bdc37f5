import { useTranslation } from "react-i18next";
import { RecordTitle } from "@/components/record-title";
import type { ConflictViews } from "@/features/records/record-conflict";
import { useMembers } from "@/features/team/data";
import { namedColour } from "@/lib/colours";
import { formatDate, longDate } from "@/lib/format";
import type { EventValues } from "./form-values";
import { reminderText } from "./reminder-text";

const clock = (time: string) => formatDate(`1970-01-01T${time}:00Z`, { hour: "numeric", minute: "2-digit", timeZone: "UTC" });

/** How a conflict shows the fields that the form holds in its own way. */
export function useEventViews(): ConflictViews<EventValues> {
  const { t } = useTranslation();
  const { find } = useMembers();
  const moment = (day: string | null, time: string, allDay: boolean) =>
    day && (allDay ? longDate(day) : `${longDate(day)}, ${clock(time)}`);
  return {
    when: {
      names: ["allDay", "startDate", "startTime", "endDate", "endTime"],
      show: ({ allDay, startDate, startTime, endDate, endTime }) =>
        [moment(startDate, startTime, allDay), moment(endDate, endTime, allDay), allDay && t("ui.events.allDay")]
          .filter(Boolean)
          .join("\n"),
    },
    recurrence: {
      names: ["frequency", "until"],
      show: ({ frequency, until }) =>
        `${t(`ui.events.frequencies.${frequency}`)}${until ? ` · ${t("ui.events.untilDay", { date: longDate(until) })}` : ""}`,
    },
    color: {
      show: ({ color }) => (
        <span className="flex items-center gap-2">
          <span aria-hidden className="size-4 rounded-full" style={{ background: namedColour(color || undefined) }} />
          {t(`ui.events.colors.${color || "none"}`)}
        </span>
      ),
    },
    reminders: { names: ["reminder"], show: ({ reminder }) => reminderText(t, reminder) },
    attendees: {
      names: ["members", "customers"],
      show: ({ members, customers }) => (
        <>
          {members
            .map((id) => find(id)?.name ?? "")
            .filter(Boolean)
            .join(", ")}
          {customers.map((id) => (
            <span key={id} className="block">
              <RecordTitle kind="customer" id={id} />
            </span>
          ))}
        </>
      ),
    },
  };
}
