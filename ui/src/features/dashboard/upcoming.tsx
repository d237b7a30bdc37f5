import { CalendarCheck } from "lucide-react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import type { ProjectDashboard } from "@/api/schema";
import { Card } from "@/components/card";
import { EmptyState } from "@/components/empty-state";
import { namedColour } from "@/lib/colours";
import { formatDate, shortTime } from "@/lib/format";

type Item = ProjectDashboard["upcoming"][number];

function when(item: Item, allDay: string): string {
  if (item.allDay) return allDay;
  return [item.start, item.end]
    .filter((time) => time !== undefined)
    .map(shortTime)
    .join(" – ");
}

/** The next events, with their day at the left. */
export function Upcoming({ items }: { items: Item[] }) {
  const { t } = useTranslation();
  return (
    <Card
      title={t("ui.dashboard.upcoming")}
      actions={
        <Link to="/events" className="text-sm font-medium text-accent hover:underline">
          {t("ui.dashboard.calendar")}
        </Link>
      }
    >
      {items.length === 0 ? (
        <EmptyState icon={CalendarCheck} title={t("ui.dashboard.noEvents")} text={t("ui.dashboard.noEventsText")} className="!py-8" />
      ) : (
        <ul className="divide-y divide-hover">
          {items.map((item) => {
            const day = item.startDate ?? item.start ?? "";
            return (
              <li key={`${item.eventId} ${day}`} className="relative flex items-center gap-3 py-2.5 first:pt-0">
                <span className="w-9 shrink-0 text-center text-2xs leading-3.5 text-muted">
                  <b className="block text-[18px] leading-5 font-bold text-ink tabular-nums">{formatDate(day, { day: "numeric" })}</b>
                  {formatDate(day, { month: "short" })}
                </span>
                <span aria-hidden className="h-9 w-0.75 shrink-0 rounded-full" style={{ background: namedColour(item.color) }} />
                <span className="min-w-0">
                  <Link
                    to={`/events/${item.eventId}${item.occurrence ? `?on=${item.occurrence}` : ""}`}
                    dir="auto"
                    className="block truncate font-medium text-ink outline-none after:absolute after:inset-0 after:rounded-lg after:content-[''] hover:underline focus-visible:after:outline-2 focus-visible:after:outline-primary"
                  >
                    {item.title}
                  </Link>
                  <span dir="auto" className="block truncate text-sm text-muted">
                    {[when(item, t("ui.dashboard.allDay")), item.location].filter(Boolean).join(" · ")}
                  </span>
                </span>
              </li>
            );
          })}
        </ul>
      )}
    </Card>
  );
}
