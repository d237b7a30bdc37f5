import { Users } from "lucide-react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import type { ProjectDashboard } from "@/api/schema";
import { Avatar } from "@/components/avatar";
import { Card } from "@/components/card";
import { EmptyState } from "@/components/empty-state";
import { formatNumber } from "@/lib/format";

/** The server names this many people at most. */
const mostPeople = 20;

/** The number of open tasks per person, and of those among all `open` ones that no one on the team has. */
export function Workload({ people, open }: { people: ProjectDashboard["workload"]; open: number }) {
  const { t } = useTranslation();
  const unassigned = people.length < mostPeople ? open - people.reduce((sum, one) => sum + one.open, 0) : 0;
  const rest = unassigned > 0 ? t("ui.dashboard.unassigned", { count: unassigned, total: formatNumber(unassigned) }) : undefined;
  const most = Math.max(1, ...people.map((one) => one.open)) * 1.15;
  return (
    <Card title={t("ui.dashboard.workload")} actions={<p className="text-sm leading-6 text-muted">{t("ui.dashboard.workloadLead")}</p>}>
      {people.length === 0 ? (
        <EmptyState
          icon={Users}
          title={t(rest ? "ui.dashboard.noAssigned" : "ui.dashboard.noWorkload")}
          text={rest ?? t("ui.dashboard.noWorkloadText")}
          className="!py-8"
        />
      ) : (
        <>
          <ul>
            {people.map((one) => (
              <li
                key={one.memberId}
                className="relative grid grid-cols-[28px_minmax(0,9rem)_minmax(2rem,1fr)_auto] items-center gap-3 py-1.75 max-sm:grid-cols-[28px_minmax(0,1fr)_auto]"
              >
                <Avatar name={one.name} src={one.avatar} size={28} />
                <Link to={`/tasks?show=all&assignee=${one.memberId}`} dir="auto" className="truncate font-medium hover:underline">
                  {one.name}
                </Link>
                <span
                  aria-hidden
                  className="h-2 overflow-hidden rounded-full bg-hover max-sm:order-last max-sm:col-span-2 max-sm:col-start-2"
                >
                  <i className="block h-full rounded-full bg-primary-500" style={{ width: `${(one.open / most) * 100}%` }} />
                </span>
                <b className="min-w-6 text-right font-semibold text-ink tabular-nums">{formatNumber(one.open)}</b>
              </li>
            ))}
          </ul>
          {rest && <p className="mt-2 text-sm text-muted">{rest}</p>}
        </>
      )}
    </Card>
  );
}
