import { Avatar } from "@/components/avatar";
import { TagList } from "@/components/tag-list";
import { RecordList } from "@/features/lists/record-list";
import { useCustomerColumns } from "./columns";
import { CustomerStatus } from "./status";

/** Parameters of older links, and the columns that they filter. */
const aliases = { status: "status", tag: "tags", owner: "ownerId" };

/** The list of customers, page by page. */
export function CustomersPage() {
  return (
    <RecordList
      kind="customer"
      columns={useCustomerColumns()}
      order="name"
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
          {one.details.emails[0] && (
            <a href={`mailto:${one.details.emails[0].email}`} className="min-w-0 truncate">
              {one.details.emails[0].email}
            </a>
          )}
        </>
      )}
    />
  );
}
