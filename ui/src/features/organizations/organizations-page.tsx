import { Avatar } from "@/components/avatar";
import { TagList } from "@/components/tag-list";
import { CustomerTabs } from "@/features/contact/customer-tabs";
import { Ways } from "@/features/contact/ways";
import { RecordList } from "@/features/lists/record-list";
import { useOrganizationColumns } from "./columns";

/** The list of organizations, page by page. */
export function OrganizationsPage() {
  return (
    <RecordList
      kind="organization"
      columns={useOrganizationColumns()}
      order="name"
      tabs={<CustomerTabs />}
      title={(one) => ({
        name: one.name,
        line: one.address?.split("\n").at(-1),
        icon: <Avatar name={one.name} src={one.logo} size={34} />,
      })}
      card={(one) => (
        <>
          <TagList tags={one.tags} />
          <Ways {...one} />
        </>
      )}
    />
  );
}
