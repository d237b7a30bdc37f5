import { Avatar } from "@/components/avatar";
import { TagList } from "@/components/tag-list";
import { ContactLine } from "@/features/contact/contact-state";
import { CustomerTabs } from "@/features/contact/customer-tabs";
import { Ways } from "@/features/contact/ways";
import { RecordList } from "@/features/lists/record-list";
import { LogDialogs } from "@/features/record-parts/log-dialog";
import { useCustomerColumns } from "./columns";
import { CustomerStatus } from "./status";

/** Parameters of older links, and the columns that they filter. */
const aliases = { status: "status", tag: "tags", owner: "ownerId" };

/** The list of customers, page by page. */
export function CustomersPage() {
  return (
    <>
      <RecordList
        kind="customer"
        columns={useCustomerColumns()}
        order="name"
        tabs={<CustomerTabs />}
        aliases={aliases}
        title={(one) => ({
          name: one.name,
          line: [one.details.company, one.details.title].filter(Boolean).join(" · ") || undefined,
          icon: <Avatar name={one.name} src={one.avatar} size={34} />,
        })}
        card={(one) => (
          <>
            <CustomerStatus status={one.status} />
            <TagList tags={one.tags} />
            <Ways {...one.details} />
            <ContactLine record={{ kind: "customer", id: one.id, name: one.name }} {...one} />
          </>
        )}
      />
      <LogDialogs />
    </>
  );
}
