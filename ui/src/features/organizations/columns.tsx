import { useTranslation } from "react-i18next";
import type { Organization } from "@/api/schema";
import { TextCell } from "@/components/cells";
import { TagList } from "@/components/tag-list";
import { emailCell, phoneCell } from "@/features/contact/contact-cells";
import { useContactColumns } from "@/features/contact/contact-state";
import { commonColumns } from "@/features/lists/common-columns";
import { Person } from "@/features/team/person";
import type { ListColumn } from "@/records/list/columns";
import { useTagChoices } from "@/records/tags";

/** The columns of the list of organizations. */
export function useOrganizationColumns(): ListColumn<Organization>[] {
  const { t } = useTranslation();
  const tags = useTagChoices("organizations");
  const contact = useContactColumns<Organization>({
    usual: { lastContact: "@max-[840px]:hidden", nextStep: "@max-[960px]:hidden" },
  });
  return [
    { id: "name", label: t("ui.customers.name"), type: "text" },
    {
      id: "tags",
      label: t("ui.customers.tags"),
      type: "tags",
      choices: tags,
      usual: true,
      quick: true,
      narrow: "@max-[1100px]:hidden",
      cell: (one) => <TagList kind="organization" tags={one.tags} />,
    },
    {
      id: "email",
      label: t("ui.customers.email"),
      type: "text",
      usual: true,
      className: "max-w-[min(36cqw,16rem)]",
      cell: ({ emails }) => emailCell(emails),
    },
    {
      id: "phone",
      label: t("ui.customers.phone"),
      type: "text",
      usual: true,
      className: "whitespace-nowrap",
      narrow: "@max-[680px]:hidden",
      cell: ({ id, name, phoneNumbers }) => phoneCell({ kind: "organization", id, name }, phoneNumbers),
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
      narrow: "@max-[1400px]:hidden",
      cell: (one) => <Person id={one.ownerId} />,
    },
    { ...commonColumns<Organization>(t).updatedAt, narrow: "@max-[1500px]:hidden" },
    {
      id: "website",
      label: t("ui.organizations.website"),
      type: "text",
      className: "max-w-60",
      cell: (one) => <TextCell text={one.website} />,
    },
    {
      id: "address",
      label: t("ui.customers.address"),
      type: "text",
      inBulk: "optional",
      className: "max-w-60",
      cell: (one) => <TextCell text={one.address?.replaceAll("\n", ", ")} />,
    },
  ];
}
