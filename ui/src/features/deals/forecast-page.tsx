import { useQuery } from "@tanstack/react-query";
import { ChartNoAxesColumn, ChevronLeft, ChevronRight, Plus, SearchX } from "lucide-react";
import { createContext, type ReactNode, useContext } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import type { DealAmounts, DealForecast } from "@/api/schema";
import { Button } from "@/components/button";
import { ButtonLink } from "@/components/button-link";
import { Card } from "@/components/card";
import { EmptyState } from "@/components/empty-state";
import { ErrorState } from "@/components/error-state";
import { IconButton } from "@/components/icon-button";
import { Page } from "@/components/page";
import { PageHead } from "@/components/page-head";
import { SkeletonRows } from "@/components/skeleton";
import { useMay } from "@/features/account/data";
import { CustomerTabs } from "@/features/contact/customer-tabs";
import { estimateText, type Money, moneyText } from "@/features/fields/money";
import { ListBar } from "@/features/lists/list-bar";
import { useList } from "@/features/lists/use-list";
import { cx } from "@/lib/cx";
import { formatDate, formatNumber } from "@/lib/format";
import { useAtLeast } from "@/lib/media";
import { usePaging } from "@/lib/use-paging";
import { isoDay } from "@/lib/zone";
import { pageSize } from "@/records/data";
import { openedState, pathOfKind, recordKinds } from "@/records/kinds";
import { usePipeline } from "@/records/pipeline";
import { useTitle } from "@/shell/use-title";
import { useFilterColumns } from "./columns";
import { forecastQuery } from "./data";
import { DealViews, usualFilters } from "./deal-views";
import { addMonths, type ForecastCell, type ForecastRow, firstDay, forecastRows, scaleOf, totalOf } from "./forecast-rows";

/** Months of a forecast. */
const monthCount = 6;

/** A month that an address names. */
const month = (text: string) => (/^\d{4}-(0[1-9]|1[0-2])$/.test(text) ? text : undefined);

/** Returns the address of the list with filters and the words of a search. */
const listOf = (filters: string[], q: string | undefined) => {
  const query = new URLSearchParams(q ? { q } : {});
  for (const filter of filters) query.append("filter", filter);
  return `${pathOfKind("deal")}?${query}`;
};

/** What open deals are worth by month, and what was won, with the search and the filters of the list. */
export function ForecastPage() {
  const { t } = useTranslation();
  const mayWrite = useMay("deals.write");
  const { isPending } = usePipeline();
  const paging = usePaging(pageSize, { from: month });
  const columns = useFilterColumns().map((column) => ({ ...column, quick: column.quick === true && column.id !== "outcome" }));
  const list = useList({ kind: "deal", columns, order: "expectedDay", hasChoices: !isPending, address: paging });
  // What is open and what was won are both shown.
  const filter = list.request.filter.filter((one) => !usualFilters.includes(one));
  const { q } = list.request;
  const { from } = paging.filters;
  const query = useQuery({ ...forecastQuery({ from, months: monthCount, q, filter }), enabled: list.isKnown });
  useTitle(t("ui.deals.asForecast"));
  const thisMonth = isoDay().slice(0, 7);
  const first = from ?? thisMonth;
  const go = (by: number) => {
    const next = addMonths(first, by);
    paging.set({ from: next === thisMonth ? undefined : next });
  };
  const monthText = (at: string) => formatDate(firstDay(at), { month: "short", year: "numeric" });
  const period = `${monthText(first)} – ${monthText(addMonths(first, monthCount - 1))}`;
  return (
    <Page>
      <PageHead
        title={t("ui.deals.title")}
        lead={t("ui.deals.forecast.lead")}
        actions={
          mayWrite && (
            <ButtonLink to={recordKinds.deal.create.path} state={openedState} variant="primary" icon={Plus}>
              {t("ui.deals.add")}
            </ButtonLink>
          )
        }
      />
      <CustomerTabs />
      <Card flush>
        <ListBar list={list} searchLabel={t("ui.deals.search")} hasRows={false}>
          <DealViews current="forecast" />
          <div className="flex items-center gap-0.5">
            <IconButton label={t("ui.deals.forecast.earlier")} icon={ChevronLeft} size="sm" onClick={() => go(-monthCount)} />
            <p aria-live="polite" className="text-center text-sm font-medium text-ink tabular-nums">
              {period}
            </p>
            <IconButton label={t("ui.deals.forecast.later")} icon={ChevronRight} size="sm" onClick={() => go(monthCount)} />
            {from && (
              <Button size="sm" variant="ghost" onClick={() => paging.set({ from: undefined })}>
                {t("ui.deals.forecast.now")}
              </Button>
            )}
          </div>
        </ListBar>
        {query.data ? (
          <div className={cx("transition-opacity duration-150", query.isPlaceholderData && "opacity-60")}>
            <Forecast forecast={query.data} filters={filter} q={q} onClear={q || filter.length > 0 ? list.clear : undefined} />
          </div>
        ) : query.error ? (
          <ErrorState error={query.error} onRetry={() => void query.refetch()} />
        ) : (
          <SkeletonRows rows={8} className="p-5" />
        )}
      </Card>
    </Page>
  );
}

/** The bar of an amount, and of the part of it that is likely. */
function Bar({ share, likely, tone }: { share: number; likely?: number; tone: string }) {
  return (
    <span aria-hidden className="relative block h-2 overflow-hidden rounded-full bg-hover">
      <i className={cx("absolute inset-y-0 left-0 rounded-full", tone)} style={{ width: `${share * 100}%` }} />
      {likely !== undefined && (
        <i className="absolute inset-y-0 left-0 rounded-full bg-primary-600" style={{ width: `${likely * 100}%` }} />
      )}
    </span>
  );
}

interface AmountsProps {
  cell: ForecastCell;
  /** The filters of the forecast. */
  filters: string[];
  /** The words of its search. */
  q: string | undefined;
  scale: (currency: string) => number;
  isWon?: boolean;
  /** What the figures are, for screen readers. */
  name: string;
}

/** The sums of the forecast, beside which amounts have as many decimals. */
const SumsContext = createContext<Money[]>([]);

/** What a cell without deals has. */
const none = "–";

const link =
  "text-ink hover:underline pointer-coarse:inline-flex pointer-coarse:min-h-11 pointer-coarse:min-w-11 pointer-coarse:items-center";

/** The sums of some deals, each with a bar, and their number; each leads to the deals. */
function Amounts({ cell: { amounts, filters: own }, filters, q, scale, isWon, name }: AmountsProps) {
  const { t } = useTranslation();
  const beside = useContext(SumsContext);
  if (amounts.count === 0) return <span className="text-muted">{none}</span>;
  const all = [...own, ...filters];
  const count = t("ui.deals.count", { count: amounts.count, total: formatNumber(amounts.count) });
  return (
    <>
      {amounts.sums.map(({ currency, sum, weighted }) => (
        <div key={currency} className="mb-1 grid grid-cols-[minmax(6rem,auto)_minmax(0,1fr)] items-center gap-3">
          <Link
            to={listOf([...all, `value:is:${currency}`], q)}
            aria-label={`${name}: ${moneyText({ amount: sum, currency }, beside)}`}
            className={cx(link, "font-medium")}
          >
            {moneyText({ amount: sum, currency }, beside)}
          </Link>
          <Bar
            share={sum / scale(currency)}
            {...(!isWon && { likely: weighted / scale(currency) })}
            tone={isWon ? "bg-ok" : "bg-primary-200"}
          />
        </div>
      ))}
      <Link to={listOf(all, q)} aria-label={`${name}: ${count}`} className={cx(link, "text-sm text-muted!")}>
        {count}
      </Link>
    </>
  );
}

/** The weighted sums of some deals, which lead to them. */
function Weighted({ cell: { amounts, filters: own }, filters, q, name }: Pick<AmountsProps, "cell" | "filters" | "q" | "name">) {
  const beside = useContext(SumsContext);
  if (amounts.sums.length === 0) return <span className="text-muted">{none}</span>;
  return amounts.sums.map(({ currency, weighted }) => {
    const text = estimateText({ amount: weighted, currency }, beside);
    return (
      <div key={currency} className="mb-1">
        <Link to={listOf([...own, ...filters, `value:is:${currency}`], q)} aria-label={`${name}: ${text}`} className={link}>
          {text}
        </Link>
      </div>
    );
  });
}

const moneyOf = ({ sums }: DealAmounts): Money[] => sums.map(({ sum, currency }) => ({ amount: sum, currency }));

/** Sums of all lines. */
const totals = ({ sums }: DealAmounts, part: "sum" | "weighted", beside: Money[]): ReactNode =>
  sums.length === 0
    ? none
    : sums.map((one) => (
        <span key={one.currency} className="block">
          {(part === "sum" ? moneyText : estimateText)({ amount: one[part], currency: one.currency }, beside)}
        </span>
      ));

interface ForecastProps extends Pick<AmountsProps, "filters" | "q"> {
  forecast: DealForecast;
  /** Removes words and filters, if there are some. */
  onClear: (() => void) | undefined;
}

/** A forecast as a table; as a list of months on phones. */
function Forecast(props: ForecastProps) {
  const rows = forecastRows(props.forecast);
  const amounts = rows.flatMap((row) => [row.open.amounts, ...(row.won ? [row.won.amounts] : [])]);
  return (
    <SumsContext value={[...amounts, totalOf(amounts)].flatMap(moneyOf)}>
      <Months {...props} />
    </SumsContext>
  );
}

function Months({ forecast, filters, q, onClear }: ForecastProps) {
  const { t } = useTranslation();
  const wide = useAtLeast("sm");
  const beside = useContext(SumsContext);
  const rows = forecastRows(forecast);
  const scale = scaleOf(rows);
  const firstMonth = forecast.months[0]?.month;
  const nameOf = ({ key }: ForecastRow) => {
    if (key === "undated") return t("ui.deals.forecast.undated");
    if (key === "overdue") {
      return firstMonth
        ? t("ui.deals.forecast.overdue", { month: formatDate(firstDay(firstMonth), { month: "long", year: "numeric" }) })
        : "";
    }
    return formatDate(firstDay(key), { month: "long", year: "numeric" });
  };
  const heads = { open: t("ui.deals.forecast.open"), weighted: t("ui.deals.forecast.weighted"), won: t("ui.deals.forecast.won") };
  const part = (row: ForecastRow, column: keyof typeof heads): ReactNode => {
    const name = `${nameOf(row)}, ${heads[column]}`;
    const { open, won } = row;
    if (column === "won") return won && <Amounts cell={won} filters={filters} q={q} scale={scale} isWon name={name} />;
    if (column === "open") return <Amounts cell={open} filters={filters} q={q} scale={scale} name={name} />;
    return <Weighted cell={open} filters={filters} q={q} name={name} />;
  };
  const open = totalOf(rows.map((row) => row.open.amounts));
  const won = totalOf(rows.flatMap((row) => row.won?.amounts ?? []));
  if (open.count + won.count === 0) {
    if (!onClear) return <EmptyState icon={ChartNoAxesColumn} title={t("ui.deals.forecast.empty")} />;
    return (
      <EmptyState
        icon={SearchX}
        title={t("ui.list.noMatch")}
        text={t("ui.list.noMatchText")}
        action={<Button onClick={onClear}>{t("ui.list.clearFilters")}</Button>}
      />
    );
  }
  const sums = { open: totals(open, "sum", beside), weighted: totals(open, "weighted", beside), won: totals(won, "sum", beside) };
  if (!wide) {
    return (
      <ul aria-label={t("ui.deals.asForecast")}>
        {rows.map((row) => (
          <li key={row.key} className="border-b border-hover px-4 py-3.5">
            <h2 className={cx("font-semibold first-letter:uppercase", row.key === "overdue" ? "text-bad" : "text-ink")}>{nameOf(row)}</h2>
            <dl className="mt-1.5 grid grid-cols-1 gap-2 tabular-nums">
              {(["open", "weighted", "won"] as const).map((column) => {
                const shown = part(row, column);
                const isEmpty = column === "won" ? !row.won?.amounts.count : column === "weighted" && row.open.amounts.sums.length === 0;
                return (
                  shown &&
                  !isEmpty && (
                    <div key={column} className="grid grid-cols-[6.5rem_minmax(0,1fr)] gap-3">
                      <dt className="text-sm text-muted pointer-coarse:pt-3">{heads[column]}</dt>
                      <dd className="min-w-0">{shown}</dd>
                    </div>
                  )
                );
              })}
            </dl>
          </li>
        ))}
        <li className="bg-sunken px-4 py-3.5">
          <h2 className="font-semibold text-ink">{t("ui.list.sum")}</h2>
          <dl className="mt-1.5 grid grid-cols-1 gap-2 font-medium text-ink tabular-nums">
            {(["open", "weighted", "won"] as const).map((column) => (
              <div key={column} className="grid grid-cols-[6.5rem_minmax(0,1fr)] gap-3">
                <dt className="text-sm font-normal text-muted">{heads[column]}</dt>
                <dd className="min-w-0">{sums[column]}</dd>
              </div>
            ))}
          </dl>
        </li>
      </ul>
    );
  }
  const head = "px-3.5 py-2.5 text-xs font-medium text-muted";
  const cell = "px-3.5 py-3 align-top";
  return (
    <div className="overflow-x-auto">
      <table aria-label={t("ui.deals.asForecast")} className="w-full table-fixed border-collapse text-left tabular-nums">
        <thead className="bg-sunken shadow-[inset_0_-1px_var(--line)]">
          <tr>
            <th scope="col" className={cx(head, "w-[24%] pl-5")}>
              {t("ui.deals.forecast.month")}
            </th>
            <th scope="col" className={cx(head, "w-[31%]")}>
              {heads.open}
            </th>
            <th scope="col" className={cx(head, "w-[18%]")}>
              {heads.weighted}
            </th>
            <th scope="col" className={cx(head, "pr-5")}>
              {heads.won}
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.key} className="border-b border-hover">
              <th
                scope="row"
                className={cx(cell, "pl-5 font-medium first-letter:uppercase", row.key === "overdue" ? "text-bad" : "text-ink")}
              >
                {nameOf(row)}
              </th>
              <td className={cell}>{part(row, "open")}</td>
              <td className={cell}>{part(row, "weighted")}</td>
              <td className={cx(cell, "pr-5")}>{part(row, "won")}</td>
            </tr>
          ))}
        </tbody>
        <tfoot className="bg-sunken text-sm font-medium text-ink">
          <tr>
            <th scope="row" className={cx(cell, "pl-5 text-xs font-medium text-muted")}>
              {t("ui.list.sum")}
            </th>
            <td className={cell}>{sums.open}</td>
            <td className={cell}>{sums.weighted}</td>
            <td className={cx(cell, "pr-5")}>{sums.won}</td>
          </tr>
        </tfoot>
      </table>
    </div>
  );
}
