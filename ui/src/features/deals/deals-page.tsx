import { useTranslation } from "react-i18next";
import type { Deal } from "@/api/schema";
import { CustomerTabs } from "@/features/contact/customer-tabs";
import { QuickActions } from "@/features/contact/quick-actions";
import { moneyText } from "@/features/fields/money";
import { RecordList } from "@/features/lists/record-list";
import { LogButton } from "@/features/record-parts/log-button";
import { Person } from "@/features/team/person";
import { formatNumber } from "@/lib/format";
import { sameFilters } from "@/records/list/conditions";
import { usePipeline } from "@/records/pipeline";
import { Buyer, buyerOf } from "./buyer";
import { useDealColumns, useFilterColumns } from "./columns";
import { DealBoard } from "./deal-board";
import { DealViews, useDealLayout, usualFilters } from "./deal-views";
import { ExpectedDay } from "./expected-day";
import { DealOutcome } from "./outcome";

const contactOf = ({ id, title }: Deal) => ({ kind: "deal", id, name: title }) as const;
/** A list does not know how the person of a deal is reached. */
const noReach = { phoneNumbers: [], emails: [] };

/** Returns the name of the person who may buy, of a deal without an organization that the reader sees. */
function personOf(deal: Deal): string | undefined {
  const buyer = buyerOf(deal);
  return buyer?.kind === "customer" ? buyer.name : undefined;
}

/** The list of deals, page by page or as a board; at first those that are open. */
export function DealsPage() {
  const { t } = useTranslation();
  const layout = useDealLayout();
  const { stageName, isPending } = usePipeline();
  const columns = useDealColumns();
  const filterColumns = useFilterColumns();
  return (
    <RecordList
      kind="deal"
      columns={layout === "board" ? filterColumns : columns}
      order="expectedDay"
      filters={usualFilters}
      hasChoices={!isPending}
      tabs={<CustomerTabs />}
      controls={() => <DealViews current={layout} />}
      body={layout === "board" ? (list) => <DealBoard list={list} /> : undefined}
      lead={({ state, isFiltered }, total) => {
        const isUsual = !state.q && sameFilters(state.filters, usualFilters);
        return t(`ui.deals.${isUsual ? "open" : isFiltered ? "found" : "count"}`, { count: total, total: formatNumber(total) });
      }}
      title={(deal) => ({ name: deal.title, line: personOf(deal), action: <LogButton record={contactOf(deal)} /> })}
      card={(deal) => (
        <>
          {deal.value && <span className="font-medium text-ink tabular-nums">{moneyText(deal.value)}</span>}
          {deal.outcome === "open" ? <span>{stageName(deal.stageId)}</span> : <DealOutcome outcome={deal.outcome} />}
          <span className="max-w-full min-w-0 empty:hidden">
            <Buyer organizationId={deal.organizationId} organizationName={deal.organizationName} isStill />
          </span>
          {deal.expectedDay && <ExpectedDay day={deal.expectedDay} isOpen={deal.outcome === "open"} />}
          {deal.ownerId && <Person id={deal.ownerId} />}
          <QuickActions isShort inCard record={contactOf(deal)} reach={noReach} className="ml-auto w-auto!" />
        </>
      )}
    />
  );
}
