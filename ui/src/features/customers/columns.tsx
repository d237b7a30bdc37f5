import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import type { Customer } from "@/api/schema";
import { TextCell } from "@/components/cells";
import { TagList } from "@/components/tag-list";
import { emailCell, phoneCell } from "@/features/contact/contact-cells";
import { useContactColumns } from "@/features/contact/contact-state";
import { organizationPath } from "@/features/contact/organization-link";
import { commonColumns } from "@/features/lists/common-columns";
import { Person } from "@/features/team/person";
import { mediumDate } from "@/lib/format";
import type { ListColumn } from "@/records/list/columns";
import { statusChoices, useStatuses } from "@/records/statuses";
import { useTagChoices } from "@/records/tags";
import { CustomerStatus } from "./status";

/** The columns of the list of customers. */
export function useCustomerColumns(): ListColumn<Customer>[] {
  const { t } = useTranslation();
  const { statuses } = useStatuses();
  const tags = useTagChoices("customers");
  const contact = useContactColumns<Customer>({
    usual: { lastContact: "@max-[1060px]:hidden", nextStep: "@max-[1150px]:hidden" },
  });
  return [
    { id: "name", label: t("ui.customers.name"), type: "text" },
    {
      id: "status",
      label: t("ui.customers.status"),
      type: "choice",
      choices: statusChoices(statuses),
      hasOwnChoices: true,
      usual: true,
      quick: true,
      inBulk: "required",
      cell: (one) => <CustomerStatus status={one.status} />,
    },
    {
      id: "tags",
      label: t("ui.customers.tags"),
      type: "tags",
      choices: tags,
      usual: true,
      quick: true,
      narrow: "@max-[1390px]:hidden",
      cell: (one) => <TagList kind="customer" tags={one.tags} />,
    },
    {
      id: "email",
      label: t("ui.customers.email"),
      type: "text",
      usual: true,
      className: "max-w-[min(24cqw,16rem)]",
      cell: ({ details: { emails } }) => emailCell(emails),
    },
    {
      id: "phone",
      label: t("ui.customers.phone"),
      type: "text",
      usual: true,
      className: "whitespace-nowrap",
      narrow: "@max-[680px]:hidden",
      cell: ({ id, name, details: { phoneNumbers } }) => phoneCell({ kind: "customer", id, name }, phoneNumbers),
    },
    ...contact,
    {
      id: "ownerId",
      label: t("ui.customers.owner"),
      type: "member",
      usual: true,
      quick: true,
      inBulk: "optional",
      className: "max-w-44",
      narrow: "@max-[1520px]:hidden",
      cell: (one) => <Person id={one.ownerId} />,
    },
    { ...commonColumns<Customer>(t).updatedAt, narrow: "@max-[1620px]:hidden" },
    {
      id: "company",
      label: t("ui.customers.company"),
      type: "text",
      className: "max-w-60",
      cell: ({ organizationId, details: { company } }) =>
        organizationId && company ? (
          <Link to={organizationPath(organizationId)} dir="auto" title={company} className="block truncate hover:underline">
            {company}
          </Link>
        ) : (
          <TextCell text={company} />
        ),
    },
    { id: "organizationId", label: t("ui.customers.organization"), type: "record", target: "organization", inBulk: "optional" },
    {
      id: "title",
      label: t("ui.customers.jobTitle"),
      type: "text",
      className: "max-w-60",
      cell: (one) => <TextCell text={one.details.title} />,
    },
    {
      id: "birthday",
      label: t("ui.customers.birthday"),
      type: "date",
      className: "whitespace-nowrap",
      cell: (one) => one.details.birthday && mediumDate(one.details.birthday),
    },
  ];
}
