import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import type { Deal } from "@/api/schema";
import { ErrorState } from "@/components/error-state";
import { StatusPill } from "@/components/status-pill";
import { useMay } from "@/features/account/data";
import { moneyText } from "@/features/fields/money";
import { formatNumber } from "@/lib/format";
import { openedState, pathOfKind, recordKinds } from "@/records/kinds";
import { formatFilter } from "@/records/list/filters";
import { usePipeline } from "@/records/pipeline";
import { dealsQuery } from "./data";
import { RelatedSection } from "./related-section";

/** The stage of an open deal, or how it ended. */
function State({ deal: { outcome, stageId } }: { deal: Deal }) {
  const { t } = useTranslation();
  const { stageName } = usePipeline();
  if (outcome === "open") return <span className="truncate">{stageName(stageId)}</span>;
  return <StatusPill tone={outcome === "won" ? "ok" : "off"}>{t(`ui.deals.outcomes.${outcome}`)}</StatusPill>;
}

export interface DealsProps {
  /** The column of the list of deals that has the record's id. */
  column: "organizationId" | "customerId";
  id: string;
  /** The parameters of the address of a new deal. */
  parameters: { organization?: string | undefined; person?: string | undefined };
}

/** The deals with a person or organization, the open ones first, and the way to add one. */
export function Deals({ column, id, parameters: { organization, person } }: DealsProps) {
  const { t } = useTranslation();
  const mayRead = useMay("deals.read");
  const mayWrite = useMay("deals.write");
  const { data, error, refetch } = useQuery({ ...dealsQuery(column, id), enabled: mayRead });
  const list = pathOfKind("deal");
  if (!mayRead || (!mayWrite && data?.total === 0)) return null;
  const start = new URLSearchParams({ ...(person && { person }), ...(organization && { organization }) });
  const filter = formatFilter({ column, operator: "is", values: [id] });
  const values = data?.items.flatMap(({ value }) => value ?? []) ?? [];
  return (
    <RelatedSection
      id={`deals-${id}`}
      title={t("ui.deals.title")}
      add={mayWrite ? { to: `${recordKinds.deal.create.path}?${start}`, label: t("ui.deals.add"), state: openedState } : undefined}
      all={
        data && data.total > data.items.length
          ? { to: `${list}?${new URLSearchParams({ filter })}`, label: t("ui.deals.all", { total: formatNumber(data.total) }) }
          : undefined
      }
    >
      {error && !data && <ErrorState error={error} onRetry={() => void refetch()} />}
      {data && data.total > 0 && (
        <ul className="mt-1 -mx-2">
          {data.items.map((deal) => (
            <li key={deal.id}>
              <Link
                to={`${list}/${deal.id}`}
                state={openedState}
                className="flex min-h-11 items-center gap-3 rounded-lg px-2 py-1.5 hover:bg-hover"
              >
                <span className="min-w-0 flex-1">
                  <span dir="auto" title={deal.title} className="block truncate font-medium text-ink">
                    {deal.title}
                  </span>
                  <span className="flex text-sm text-muted">
                    <State deal={deal} />
                  </span>
                </span>
                {deal.value && <span className="shrink-0 text-sm tabular-nums">{moneyText(deal.value, values)}</span>}
              </Link>
            </li>
          ))}
        </ul>
      )}
      {data?.total === 0 && <p className="mt-1 text-muted">{t("ui.deals.none")}</p>}
    </RelatedSection>
  );
}
