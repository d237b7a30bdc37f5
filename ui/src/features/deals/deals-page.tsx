import { CustomerTabs } from "@/features/contact/customer-tabs";
import { moneyText } from "@/features/fields/money";
import { RecordList } from "@/features/lists/record-list";
import { Person } from "@/features/team/person";
import { Buyer } from "./buyer";
import { useDealColumns } from "./columns";
import { usePipeline } from "./data";
import { ExpectedDay } from "./expected-day";
import { DealOutcome } from "./outcome";

/** The list of deals, page by page. */
export function DealsPage() {
  const { stageName } = usePipeline();
  return (
    <RecordList
      kind="deal"
      columns={useDealColumns()}
      order="expectedDay"
      tabs={<CustomerTabs />}
      title={({ title }) => ({ name: title })}
      card={(deal) => (
        <>
          {deal.value && <span className="font-medium text-ink tabular-nums">{moneyText(deal.value)}</span>}
          {deal.outcome === "open" ? stageName(deal.stageId) : <DealOutcome outcome={deal.outcome} />}
          <Buyer {...deal} />
          {deal.expectedDay && <ExpectedDay day={deal.expectedDay} isOpen={deal.outcome === "open"} />}
          {deal.ownerId && <Person id={deal.ownerId} />}
        </>
      )}
    />
  );
}
