import { useTranslation } from "react-i18next";
import type { ProjectDashboard } from "@/api/schema";
import { Segmented } from "@/components/segmented";
import { formatDate, longDate, mediumDate } from "@/lib/format";
import { ChartCard } from "./chart-card";
import { Bars } from "./charts/bars";
import { byWeek } from "./charts/scale";
import type { FlowDays } from "./data";

/** Created and completed tasks, by day for two weeks or by week for a quarter. */
export function TaskFlow({ flow, days, onDays }: { flow: ProjectDashboard["flow"]; days: FlowDays; onDays: (days: FlowDays) => void }) {
  const { t } = useTranslation();
  const weekly = days === 90;
  const groups = weekly ? byWeek(flow) : flow;
  const title = (date: string) => (weekly ? t("ui.dashboard.weekOf", { date: mediumDate(date) }) : longDate(date));
  const created = t("ui.dashboard.created");
  const completed = t("ui.dashboard.completed");
  return (
    <ChartCard
      title={t("ui.dashboard.flow")}
      subtitle={weekly ? t("ui.dashboard.flowQuarter") : t("ui.dashboard.flowDays")}
      height={335}
      controls={
        <Segmented
          label={t("ui.dashboard.period")}
          value={String(days) as "14" | "90"}
          onChange={(value) => onDays(value === "90" ? 90 : 14)}
          options={[
            { value: "14", label: t("ui.dashboard.days14") },
            { value: "90", label: t("ui.dashboard.quarter") },
          ]}
        />
      }
      table={{
        head: [weekly ? t("ui.dashboard.week") : t("ui.dashboard.day"), created, completed],
        rows: groups.map((day) => [title(day.date), day.created, day.completed]),
      }}
    >
      <Bars
        height={300}
        label={t("ui.dashboard.flowAlt")}
        names={groups.map(({ date }) => formatDate(date, weekly ? { day: "numeric", month: "short" } : { day: "numeric" }))}
        titles={groups.map(({ date }) => title(date))}
        nameWidth={weekly ? 52 : 28}
        series={[
          { label: created, colour: "var(--primary-200)", values: groups.map((day) => day.created) },
          { label: completed, colour: "var(--primary-600)", values: groups.map((day) => day.completed) },
        ]}
      />
    </ChartCard>
  );
}
