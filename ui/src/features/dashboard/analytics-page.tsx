import { useQuery } from "@tanstack/react-query";
import { ChartPie, Tag as TagIcon } from "lucide-react";
import { useTranslation } from "react-i18next";
import { Link, useSearchParams } from "react-router";
import type { AnalyticsDashboard } from "@/api/schema";
import { EmptyState } from "@/components/empty-state";
import { ErrorState } from "@/components/error-state";
import { Segmented } from "@/components/segmented";
import { Skeleton } from "@/components/skeleton";
import { namedColour } from "@/lib/colours";
import { cx } from "@/lib/cx";
import { formatDate, formatNumber, longDate, mediumDate } from "@/lib/format";
import { oneOf, readSearchParams } from "@/lib/search-params";
import { firstWeekday } from "@/lib/week";
import { ChartCard } from "./chart-card";
import { Area } from "./charts/area";
import { Bars } from "./charts/bars";
import { HeatMap } from "./charts/heat-map";
import { analyticsQuery, type Period, periods } from "./data";

function CustomersOverTime({ data }: { data: AnalyticsDashboard["customers"] }) {
  const { t } = useTranslation();
  // Absent when the company did not exist at the beginning of the period, or the number is not known.
  const grown = data.before === undefined ? undefined : data.total - data.before;
  return (
    <ChartCard
      title={t("ui.dashboard.customers")}
      subtitle={t("ui.dashboard.customersLead")}
      className="@min-[720px]:col-span-2"
      height={326}
      table={{
        head: [t("ui.dashboard.day"), t("ui.dashboard.customers")],
        rows: data.series.map((day) => [mediumDate(day.date), day.total]),
      }}
    >
      <p className="-mt-1 mb-3 flex flex-wrap items-baseline gap-x-3">
        <b className="text-3xl font-[660] tracking-[-.03em] text-ink tabular-nums">{formatNumber(data.total)}</b>
        {grown !== undefined && (
          <span className="text-sm text-muted">
            <span className={cx("font-semibold", grown > 0 ? "text-ok" : grown < 0 ? "text-bad" : "text-soft")}>
              {formatNumber(grown, { signDisplay: "exceptZero" })}
            </span>{" "}
            {t("ui.dashboard.inPeriod")}
          </span>
        )}
      </p>
      <Area
        label={t("ui.dashboard.customersAlt")}
        names={data.series.map(({ date }) => formatDate(date, { day: "numeric", month: "short" }))}
        titles={data.series.map(({ date }) => longDate(date))}
        series={{ label: t("ui.dashboard.customers"), colour: "var(--primary-600)", values: data.series.map((day) => day.total) }}
      />
    </ChartCard>
  );
}

function ByStatus({ items }: { items: AnalyticsDashboard["customers"]["byStatus"] }) {
  const { t } = useTranslation();
  const total = items.reduce((sum, one) => sum + one.count, 0);
  const share = (count: number) => formatNumber(total === 0 ? 0 : count / total, { style: "percent", maximumFractionDigits: 0 });
  return (
    <ChartCard
      title={t("ui.dashboard.byStatus")}
      table={{
        head: [t("ui.dashboard.status"), t("ui.dashboard.customers"), t("ui.dashboard.share")],
        rows: items.map((one) => [one.name, one.count, share(one.count)]),
      }}
    >
      {total === 0 ? (
        <EmptyState icon={ChartPie} title={t("ui.dashboard.noCustomers")} className="!py-8" />
      ) : (
        <>
          <div aria-hidden className="mb-4 flex h-3.5 gap-0.5 overflow-hidden rounded-full">
            {items.map(
              (one) =>
                one.count > 0 && (
                  <i key={one.status} style={{ width: `${(one.count / total) * 100}%`, background: namedColour(one.color) }} />
                ),
            )}
          </div>
          <ul className="divide-y divide-hover">
            {items.map((one) => (
              <li key={one.status} className="flex items-center gap-2.5 py-2.5">
                <i aria-hidden className="size-2.5 rounded-[3px]" style={{ background: namedColour(one.color) }} />
                <Link to={`/customers?status=${encodeURIComponent(one.status)}`} dir="auto" className="flex-1 truncate hover:underline">
                  {one.name}
                </Link>
                <b className="font-semibold text-ink tabular-nums">{formatNumber(one.count)}</b>
                <span className="w-12 text-right text-muted tabular-nums">{share(one.count)}</span>
              </li>
            ))}
          </ul>
        </>
      )}
    </ChartCard>
  );
}

function ByTag({ items }: { items: AnalyticsDashboard["customers"]["byTag"] }) {
  const { t } = useTranslation();
  const shown = items.slice(0, 8);
  const most = Math.max(1, ...shown.map((one) => one.count));
  return (
    <ChartCard
      title={t("ui.dashboard.byTag")}
      table={{ head: [t("ui.dashboard.tag"), t("ui.dashboard.customers")], rows: items.map((one) => [one.tag, one.count]) }}
    >
      {shown.length === 0 ? (
        <EmptyState icon={TagIcon} title={t("ui.dashboard.noTags")} text={t("ui.dashboard.noTagsText")} className="!py-8" />
      ) : (
        <ul>
          {shown.map((one) => (
            <li key={one.tag} className="grid grid-cols-[minmax(0,8rem)_minmax(0,1fr)_auto] items-center gap-3 py-1.5">
              <Link to={`/customers?tag=${encodeURIComponent(one.tag)}`} dir="auto" className="truncate hover:underline">
                {one.tag}
              </Link>
              <span aria-hidden className="h-2 overflow-hidden rounded-full bg-hover">
                <i className="block h-full rounded-full bg-primary-500" style={{ width: `${(one.count / most) * 100}%` }} />
              </span>
              <b className="min-w-8 text-right font-semibold text-ink tabular-nums">{formatNumber(one.count)}</b>
            </li>
          ))}
        </ul>
      )}
    </ChartCard>
  );
}

function Weeks({ weeks }: { weeks: AnalyticsDashboard["weeks"] }) {
  const { t } = useTranslation();
  const events = t("ui.dashboard.eventsSeries");
  const tasks = t("ui.dashboard.tasksSeries");
  const name = (week: string) => t("ui.dashboard.weekOf", { date: mediumDate(week) });
  return (
    <ChartCard
      title={t("ui.dashboard.weeks")}
      subtitle={t("ui.dashboard.weeksLead")}
      className="@min-[720px]:col-span-2"
      table={{ head: [t("ui.dashboard.week"), events, tasks], rows: weeks.map((one) => [name(one.week), one.events, one.tasks]) }}
    >
      <Bars
        label={t("ui.dashboard.weeksAlt")}
        names={weeks.map(({ week }) => formatDate(week, { day: "numeric", month: "short" }))}
        titles={weeks.map(({ week }) => name(week))}
        nameWidth={52}
        series={[
          { label: events, colour: "var(--primary-200)", values: weeks.map((one) => one.events) },
          { label: tasks, colour: "var(--primary-600)", values: weeks.map((one) => one.tasks) },
        ]}
      />
    </ChartCard>
  );
}

function Hours({ activity }: { activity: AnalyticsDashboard["activity"] }) {
  const { t } = useTranslation();
  // 2001-01-01 was a Monday.
  const weekday = (day: number, style: "long" | "short") =>
    formatDate(new Date(Date.UTC(2001, 0, 1 + day)), { timeZone: "UTC", weekday: style });
  const hour = (at: number) => formatDate(new Date(Date.UTC(2001, 0, 1, at)), { timeZone: "UTC", hour: "numeric" });
  // The server counts from Monday, the region from its first day.
  const days = Array.from({ length: 7 }, (_, at) => (firstWeekday() + 6 + at) % 7);
  const hours = Array.from({ length: 24 }, (_, at) => at);
  const values = days.map((day) => hours.map((at) => activity.find((one) => one.weekday === day && one.hour === at)?.count ?? 0));
  return (
    <ChartCard
      title={t("ui.dashboard.hours")}
      subtitle={t("ui.dashboard.hoursLead")}
      className="@min-[720px]:col-span-2"
      table={{
        head: [t("ui.dashboard.hour"), ...days.map((day) => weekday(day, "short"))],
        rows: hours.map((at) => [hour(at), ...values.map((counts) => counts[at] ?? 0)]),
      }}
    >
      <HeatMap
        label={t("ui.dashboard.hoursAlt")}
        rows={days.map((day) => weekday(day, "short"))}
        columns={hours.map((at) => String(at))}
        values={values}
        describe={(row, at, count) => t("ui.dashboard.hourCell", { day: weekday(days[row] ?? 0, "long"), hour: hour(at), count })}
      />
    </ChartCard>
  );
}

/** The growth of the company's data, and the times of work on it. */
export function AnalyticsPage() {
  const { t } = useTranslation();
  const [search, setSearch] = useSearchParams();
  const days = readSearchParams(search, { days: oneOf(periods) }).days ?? 90;
  const { data, error, refetch, isPlaceholderData } = useQuery(analyticsQuery(days));
  return (
    <>
      <div className="mb-4 flex items-center justify-between gap-4">
        <h2 className="sr-only">{t("ui.dashboard.analytics")}</h2>
        <span className="text-sm text-muted max-sm:hidden">{t("ui.dashboard.analyticsLead")}</span>
        <Segmented
          label={t("ui.dashboard.period")}
          value={String(days) as `${Period}`}
          onChange={(value) => setSearch({ days: value }, { replace: true, preventScrollReset: true })}
          options={periods.map((period) => ({ value: String(period) as `${Period}`, label: t(`ui.dashboard.last${period}`) }))}
        />
      </div>
      {data ? (
        <div className={cx("grid gap-4 transition-opacity @min-[720px]:grid-cols-2", isPlaceholderData && "opacity-60")}>
          <CustomersOverTime data={data.customers} />
          <ByStatus items={data.customers.byStatus} />
          <ByTag items={data.customers.byTag} />
          <Weeks weeks={data.weeks} />
          <Hours activity={data.activity} />
        </div>
      ) : error ? (
        <ErrorState error={error} onRetry={() => void refetch()} />
      ) : (
        <div aria-busy className="grid gap-4 @min-[720px]:grid-cols-2">
          <Skeleton className="h-94 @min-[720px]:col-span-2" />
          <Skeleton className="h-60" />
          <Skeleton className="h-60" />
        </div>
      )}
    </>
  );
}
