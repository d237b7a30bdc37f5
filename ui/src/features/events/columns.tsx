import { useTranslation } from "react-i18next";
import type { CalendarEvent } from "@/api/schema";
import { TextCell } from "@/components/cells";
import { commonColumns } from "@/features/lists/common-columns";
import { colourNames } from "@/lib/colours";
import type { ListColumn } from "@/records/list/columns";
import { whenText } from "./when";

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
      cell: (one) => whenText(one, t("ui.events.allDay"), "short").join(" · "),
    },
    {
      id: "location",
      label: t("ui.events.location"),
      type: "text",
      usual: true,
      inBulk: "optional",
      className: "max-w-60",
      narrow: "@max-[900px]:hidden",
      cell: (one) => <TextCell text={one.location} />,
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
      choices: colourNames.map((key) => ({ key, name: t(`ui.events.colors.${key}`) })),
    },
    { ...commonColumns<CalendarEvent>(t).createdBy, usual: true, narrow: "@max-[1230px]:hidden" },
    { ...commonColumns<CalendarEvent>(t).updatedAt, narrow: "@max-[1060px]:hidden" },
  ];
}
