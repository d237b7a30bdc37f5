import { useTranslation } from "react-i18next";
import type { CalendarEvent } from "@/api/schema";
import { Person } from "@/features/team/person";
import { eventColours } from "@/lib/colours";
import { ago, longDate } from "@/lib/format";
import type { ListColumn } from "@/records/list/columns";
import { whenText } from "./when";

const time = (at: string) => (
  <time dateTime={at} title={longDate(at)} className="text-muted">
    {ago(at)}
  </time>
);

/** The columns of the list of events. */
export function useEventColumns(): ListColumn<CalendarEvent>[] {
  const { t } = useTranslation();
  return [
    { id: "title", label: t("ui.events.titleField"), type: "text" },
    {
      id: "start",
      label: t("ui.events.when"),
      type: "time",
      usual: true,
      quick: true,
      className: "w-px whitespace-nowrap",
      cell: (one) => whenText(one, t("ui.events.allDay")).join(" · "),
    },
    {
      id: "location",
      label: t("ui.events.location"),
      type: "text",
      usual: true,
      inBulk: "optional",
      className: "max-w-60",
      narrow: "@max-[900px]:hidden",
      cell: (one) => (
        <span dir="auto" title={one.location} className="block truncate">
          {one.location}
        </span>
      ),
    },
    { id: "memberId", label: t("ui.events.attendees"), type: "member", quick: true },
    { id: "customerId", label: t("ui.records.kinds.customer"), type: "record", target: "customer" },
    { id: "recurring", label: t("ui.events.repeats"), type: "checkbox" },
    { id: "allDay", label: t("ui.events.allDay"), type: "checkbox" },
    {
      id: "color",
      label: t("ui.events.color"),
      type: "choice",
      inBulk: "optional",
      choices: eventColours.map((key) => ({ key, name: t(`ui.events.colors.${key}`) })),
    },
    {
      id: "createdBy",
      label: t("ui.list.createdBy"),
      type: "member",
      usual: true,
      className: "max-w-44",
      narrow: "@max-[1100px]:hidden",
      cell: (one) => <Person id={one.createdBy} />,
    },
    {
      id: "updatedAt",
      label: t("ui.list.updated"),
      type: "time",
      usual: true,
      className: "whitespace-nowrap",
      cell: (one) => time(one.updatedAt),
    },
    { id: "createdAt", label: t("ui.list.created"), type: "time", className: "whitespace-nowrap", cell: (one) => time(one.createdAt) },
  ];
}
