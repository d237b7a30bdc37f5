import { useQuery } from "@tanstack/react-query";
import { CircleCheck, Clock, Inbox, TriangleAlert } from "lucide-react";
import { Suspense, useDeferredValue, useState } from "react";
import { useTranslation } from "react-i18next";
import { ErrorState } from "@/components/error-state";
import { Skeleton } from "@/components/skeleton";
import { useUser } from "@/features/account/data";
import { useSetup } from "@/features/setup/data";
import { SetupCard } from "@/features/setup/setup-card";
import { lazyOnIdle } from "@/lib/lazy-on-idle";
import { RecentActivity } from "./activity";
import { inNumbers, inPercent } from "./compare";
import { defaultFlowDays, type FlowDays, ownDueQuery, projectQuery } from "./data";
import { StatCard } from "./stat-card";
import { TaskFlow } from "./task-flow";
import { Upcoming } from "./upcoming";
import { Workload } from "./workload";

// Not part of the first load: it is at the end of the page, and not every company has deals.
const Deals = lazyOnIdle(async () => ({ default: (await import("./deals")).Deals }));

const four = "grid grid-cols-1 gap-4 @min-[400px]:grid-cols-2 @min-[820px]:grid-cols-4";

function Waiting() {
  return (
    <div aria-busy className="grid gap-4">
      <div className={four}>
        {["a", "b", "c", "d"].map((key) => (
          <Skeleton key={key} className="h-36" />
        ))}
      </div>
      <div className="grid gap-4 @min-[820px]:grid-cols-[2fr_1fr]">
        <Skeleton className="h-94" />
        <Skeleton className="h-94" />
      </div>
    </div>
  );
}

/** Due work, the flow of tasks, and the members' workload. */
export function ProjectPage() {
  const { t } = useTranslation();
  const [days, setDays] = useState<FlowDays>(defaultFlowDays);
  const query = useQuery(projectQuery(days));
  const { error, refetch } = query;
  const { id } = useUser();
  const { data: own } = useQuery(ownDueQuery(id));
  const data = useDeferredValue(query.data, undefined);
  // The card is above all else: nothing is shown until it is known, so that nothing moves.
  const setup = useSetup();
  if (!data || setup.isLoading) return error ? <ErrorState error={error} onRetry={() => void refetch()} /> : <Waiting />;
  const { tasks } = data;
  return (
    <div className="grid grid-cols-1 gap-4">
      <SetupCard />
      <div className={four}>
        <StatCard
          title={t("ui.dashboard.dueToday")}
          value={tasks.dueToday}
          icon={Clock}
          to="/tasks?show=today"
          {...(own !== undefined && { note: t("ui.dashboard.yours", { count: own }) })}
        />
        <StatCard
          title={t("ui.dashboard.overdue")}
          value={tasks.overdue}
          icon={TriangleAlert}
          to="/tasks?show=overdue"
          {...(tasks.openComparable && { comparison: inNumbers(t, tasks.overdue, tasks.overdueLastWeek, "lastWeek", "fewer") })}
        />
        <StatCard
          title={t("ui.dashboard.done")}
          value={tasks.doneThisWeek}
          icon={CircleCheck}
          to="/tasks?show=week"
          {...(tasks.doneComparable && { comparison: inPercent(t, tasks.doneThisWeek, tasks.doneLastWeek, "lastWeekSoFar", "more") })}
        />
        <StatCard
          title={t("ui.dashboard.open")}
          value={tasks.open}
          icon={Inbox}
          to="/tasks?show=all"
          {...(tasks.openComparable && { comparison: inPercent(t, tasks.open, tasks.openLastWeek, "lastWeek", "none") })}
        />
      </div>
      <div className="grid gap-4 @min-[820px]:grid-cols-[minmax(0,2fr)_minmax(0,1fr)]">
        <TaskFlow flow={data.flow} days={days} onDays={setDays} />
        <Upcoming items={data.upcoming} />
      </div>
      <div className="grid gap-4 @min-[820px]:grid-cols-2">
        <Workload people={data.workload} open={tasks.open} />
        <RecentActivity items={data.activity} />
      </div>
      <Suspense>
        <Deals />
      </Suspense>
    </div>
  );
}
