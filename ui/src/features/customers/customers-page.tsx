import type { Customer } from "@/api/schema";
import { Avatar } from "@/components/avatar";
import { TagList } from "@/components/tag-list";
import { ContactLine } from "@/features/contact/contact-state";
import { CustomerTabs } from "@/features/contact/customer-tabs";
import { QuickActions } from "@/features/contact/quick-actions";
import { RecordList } from "@/features/lists/record-list";
import { LogButton } from "@/features/record-parts/log-button";
import { useStatuses } from "@/records/statuses";
import { useCustomerColumns } from "./columns";
import { CustomerStatus } from "./status";

/** Parameters of older links, and the columns that they filter. */
const aliases = { status: "status", tag: "tags", owner: "ownerId" };

const contactOf = ({ id, name }: Customer) => ({ kind: "customer", id, name }) as const;

/** The list of customers, page by page. */
export function CustomersPage() {
  const { isPending } = useStatuses();
  return (
    <RecordList
      kind="customer"
      columns={useCustomerColumns()}
      order="name"
      hasChoices={!isPending}
      tabs={<CustomerTabs />}
      aliases={aliases}
      title={(one) => ({
        name: one.name,
        line: [one.details.company, one.details.title].filter(Boolean).join(" · ") || undefined,
        icon: <Avatar name={one.name} src={one.avatar} size={34} />,
        action: <LogButton record={contactOf(one)} />,
      })}
      card={(one) => (
        <>
          <CustomerStatus status={one.status} />
          <TagList kind="customer" tags={one.tags} />
          <ContactLine {...one} />
          <QuickActions isShort inCard record={contactOf(one)} reach={one.details} />
        </>
      )}
    />
  );
}
