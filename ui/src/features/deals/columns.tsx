import { useTranslation } from "react-i18next";
import type { Deal, NewBulkChange } from "@/api/schema";
import { TextCell, TimeCell } from "@/components/cells";
import { TagList } from "@/components/tag-list";
import { useContactColumns } from "@/features/contact/contact-state";
import { MoneyCell } from "@/features/fields/money-cell";
import { commonColumns } from "@/features/lists/common-columns";
import { useVisibilityText } from "@/features/record-parts/visibility";
import { Person } from "@/features/team/person";
import type { ListColumn } from "@/records/list/columns";
import { usePipeline } from "@/records/pipeline";
import { useTagChoices } from "@/records/tags";
import { Buyer } from "./buyer";
import { ExpectedDay } from "./expected-day";
import { DealOutcome, outcomes } from "./outcome";
import { OutcomeInput } from "./outcome-input";

/** The columns of the list of deals. */
export function useDealColumns(): ListColumn<Deal>[] {
  const { t } = useTranslation();
  const { stages, reasons, stageName, reasonName } = usePipeline();
  const tags = useTagChoices("deals");
  const visibilityText = useVisibilityText();
  const contact = useContactColumns<Deal>();
  return [
    { id: "title", label: t("ui.deals.titleField"), type: "text" },
    {
      id: "value",
      label: t("ui.deals.value"),
      type: "money",
      usual: true,
      className: "text-right whitespace-nowrap",
      cell: ({ value }) => value && <MoneyCell money={value} column="value" />,
    },
    {
      id: "stageId",
      label: t("ui.deals.stage"),
      type: "choice",
      choices: stages.map(({ id, name }) => ({ key: id, name })),
      hasOwnChoices: true,
      usual: true,
      quick: true,
      inBulk: "required",
      className: "max-w-44",
      narrow: "@max-[620px]:hidden",
      cell: ({ stageId }) => <TextCell text={stageName(stageId)} />,
    },
    {
      id: "organizationId",
      label: t("ui.deals.organization"),
      type: "record",
      target: "organization",
      usual: true,
      inBulk: "optional",
      className: "max-w-52",
      narrow: "@max-[900px]:hidden",
      cell: ({ organizationId, organizationName }) => <Buyer organizationId={organizationId} organizationName={organizationName} />,
    },
    {
      id: "expectedDay",
      label: t("ui.deals.expectedDay"),
      type: "date",
      usual: true,
      inBulk: "optional",
      className: "whitespace-nowrap",
      cell: ({ expectedDay, outcome }) => expectedDay && <ExpectedDay day={expectedDay} isOpen={outcome === "open"} />,
    },
    {
      id: "ownerId",
      label: t("ui.customers.owner"),
      type: "member",
      usual: true,
      quick: true,
      inBulk: "optional",
      className: "max-w-44",
      narrow: "@max-[1100px]:hidden",
      cell: ({ ownerId }) => <Person id={ownerId} />,
    },
    { ...commonColumns<Deal>(t).updatedAt, narrow: "@max-[1240px]:hidden" },
    ...contact,
    {
      id: "outcome",
      label: t("ui.deals.outcome"),
      type: "choice",
      choices: outcomes.map((key) => ({ key, name: t(`ui.deals.outcomes.${key}`) })),
      quick: true,
      inBulk: "required",
      bulkInput: (onChange) => <OutcomeInput onChange={onChange} />,
      bulkChange: (change) => change as NewBulkChange["change"],
      cell: ({ outcome }) => <DealOutcome outcome={outcome} />,
    },
    {
      id: "customerId",
      label: t("ui.deals.person"),
      type: "record",
      target: "customer",
      inBulk: "optional",
      className: "max-w-52",
      cell: ({ customerId, customerName }) => <Buyer customerId={customerId} customerName={customerName} />,
    },
    {
      id: "closedAt",
      label: t("ui.deals.closedAt"),
      type: "time",
      className: "whitespace-nowrap",
      cell: ({ closedAt }) => closedAt && <TimeCell at={closedAt} />,
    },
    {
      id: "reasonId",
      label: t("ui.deals.reason"),
      type: "choice",
      choices: reasons.map(({ id, name }) => ({ key: id, name })),
      hasOwnChoices: true,
      className: "max-w-52",
      cell: ({ reasonId }) => <TextCell text={reasonName(reasonId)} />,
    },
    {
      id: "tags",
      label: t("ui.customers.tags"),
      type: "tags",
      choices: tags,
      cell: ({ tags: own }) => <TagList kind="deal" tags={own} />,
    },
    {
      id: "visibility",
      label: t("ui.visibility.title"),
      type: "choice",
      choices: [
        { key: "company", name: t("ui.visibility.everyone") },
        { key: "people", name: t("ui.visibility.chosen") },
        { key: "me", name: t("ui.visibility.onlyAuthor") },
      ],
      className: "whitespace-nowrap",
      cell: ({ visibility, createdBy }) => visibilityText(visibility, createdBy),
    },
  ];
}

/** The columns of deals for board and forecast, which only filter and sort by them. */
export const useFilterColumns = (): ListColumn<Deal>[] => useDealColumns().map(({ cell: _cell, ...column }) => column);
