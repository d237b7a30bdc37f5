import { useTranslation } from "react-i18next";
import { useMembers } from "@/features/team/data";
import { eventColour } from "@/lib/colours";
import { formatDate, longDate } from "@/lib/format";
import type { ConflictField } from "@/records/conflicts";
import type { EventValues } from "./form-values";
import { reminderText } from "./reminder-text";

const clock = (time: string) => formatDate(`1970-01-01T${time}:00Z`, { hour: "numeric", minute: "2-digit", timeZone: "UTC" });

/** The fields of an event for a conflict. */
export function useEventFields(): ConflictField<EventValues>[] {
  const { t } = useTranslation();
  const { find } = useMembers();
  const moment = (day: string | null, time: string, allDay: boolean) =>
    day && (allDay ? longDate(day) : `${longDate(day)}, ${clock(time)}`);
  return [
    { names: ["title"], label: t("ui.events.titleField"), show: ({ title }) => title },
    {
      names: ["allDay", "startDate", "startTime", "endDate", "endTime"],
      label: t("ui.events.when"),
      show: ({ allDay, startDate, startTime, endDate, endTime }) =>
        [moment(startDate, startTime, allDay), moment(endDate, endTime, allDay), allDay && t("ui.events.allDay")]
          .filter(Boolean)
          .join("\n"),
    },
    {
      names: ["frequency", "until"],
      label: t("ui.events.repeat"),
      show: ({ frequency, until }) =>
        `${t(`ui.events.frequencies.${frequency}`)}${until ? ` · ${t("ui.events.untilDay", { date: longDate(until) })}` : ""}`,
    },
    { names: ["location"], label: t("ui.events.location"), show: ({ location }) => location },
    {
      names: ["color"],
      label: t("ui.events.color"),
      show: ({ color }) => (
        <span className="flex items-center gap-2">
          <span aria-hidden className="size-4 rounded-full" style={{ background: eventColour(color || undefined) }} />
          {t(`ui.events.colors.${color || "none"}`)}
        </span>
      ),
    },
    { names: ["reminder"], label: t("ui.events.reminder"), show: ({ reminder }) => reminderText(t, reminder) },
    {
      names: ["members"],
      label: t("ui.events.attendees"),
      show: ({ members }) =>
        members
          .map((id) => find(id)?.name ?? "")
          .filter(Boolean)
          .join(", "),
    },
    { names: ["description"], label: t("ui.events.description"), show: ({ description }) => description },
  ];
}
