import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import type { ColumnSums } from "@/api/schema";
import { Card } from "@/components/card";
import { useMay } from "@/features/account/data";
import { moneyText } from "@/features/fields/money";
import { formatNumber } from "@/lib/format";
import { isoDay } from "@/lib/zone";
import { pathOfKind } from "@/records/kinds";
import { usePipeline } from "@/records/pipeline";
import { dealsQuery } from "./data";

/** Returns the address of the list of the deals that pass some filters. */
const listOf = (filters: string[]) => `${pathOfKind("deal")}?${new URLSearchParams(filters.map((filter) => ["filter", filter]))}`;

/** Returns how many records a group has. */
const countOf = (sums: ColumnSums, group: string) => sums.groups?.find(({ value }) => value === group)?.count ?? 0;

/** Returns what the records of a group are worth, in each currency. */
const amountsOf = (sums: ColumnSums, group: string) =>
  sums.items.flatMap(({ group: of, currency, sum, count }) =>
    of === group && currency && count > 0 ? [moneyText({ amount: sum, currency })] : [],
  );

/** The open deals by stage, and what was won and lost this month. Shown once the company has deals, to those who may read them. */
export const Deals = () => useMay("deals.read") && <Figures />;

function Figures() {
  const { t } = useTranslation();
  const month = `${isoDay().slice(0, 7)}-01`;
  const { data } = useQuery(dealsQuery(month));
  const { stages } = usePipeline();
  if (!data || stages.length === 0) return null;
  const { open, closed } = data;
  const hasAny = (open.groups?.length ?? 0) > 0 || (closed.groups?.length ?? 0) > 0;
  if (!hasAny) return null;
  const most = Math.max(1, ...stages.map(({ id }) => countOf(open, id)));
  return (
    <Card
      title={t("ui.dashboard.deals")}
      subtitle={t("ui.dashboard.dealsLead")}
      actions={
        <Link to={`${pathOfKind("deal")}?as=board`} className="text-sm leading-6 font-medium text-primary hover:underline">
          {t("ui.deals.asBoard")}
        </Link>
      }
    >
      <ul>
        {stages.map(({ id, name }) => (
          <li
            key={id}
            className="grid grid-cols-[minmax(0,9rem)_minmax(2rem,1fr)_2.5rem_minmax(5rem,auto)] items-center gap-3 py-1.75 max-sm:grid-cols-[minmax(0,1fr)_auto_auto]"
          >
            <Link to={listOf(["outcome:is:open", `stageId:is:${id}`])} dir="auto" className="truncate font-medium hover:underline">
              {name}
            </Link>
            <span aria-hidden className="h-2 overflow-hidden rounded-full bg-hover max-sm:order-last max-sm:col-span-3">
              <i className="block h-full rounded-full bg-primary-500" style={{ width: `${(countOf(open, id) / most) * 100}%` }} />
            </span>
            <b className="text-right font-semibold text-ink tabular-nums">{formatNumber(countOf(open, id))}</b>
            <span className="text-right text-sm text-muted tabular-nums">{amountsOf(open, id).join(" · ")}</span>
          </li>
        ))}
      </ul>
      <dl className="mt-3 flex flex-wrap gap-x-8 gap-y-2 border-t border-line pt-3">
        {(["won", "lost"] as const).map((outcome) => (
          <div key={outcome} className="flex flex-wrap items-baseline gap-x-2">
            <dt>
              <Link to={listOf([`outcome:is:${outcome}`, `closedAt:gte:${month}`])} className="text-muted hover:underline">
                {t(`ui.dashboard.${outcome}ThisMonth`)}
              </Link>
            </dt>
            <dd className="flex items-baseline gap-x-2 tabular-nums">
              <b className="font-semibold text-ink">{formatNumber(countOf(closed, outcome))}</b>
              <span className="text-sm text-muted">{amountsOf(closed, outcome).join(" · ")}</span>
            </dd>
          </div>
        ))}
      </dl>
    </Card>
  );
}
