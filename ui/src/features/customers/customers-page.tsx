import { Mail, Phone } from "lucide-react";
import type { Customer } from "@/api/schema";
import { Avatar } from "@/components/avatar";
import { TagList } from "@/components/tag-list";
import { RecordList } from "@/features/lists/record-list";
import { phoneLink, phoneText } from "@/lib/countries";
import { useCustomerColumns } from "./columns";
import { CustomerStatus } from "./status";

/** Parameters of older links, and the columns that they filter. */
const aliases = { status: "status", tag: "tags", owner: "ownerId" };

/** A link that is large enough for a finger. */
const way = "-my-1.5 flex min-h-11 max-w-full min-w-0 items-center gap-1.5";

/** Calls or writes to a customer with one press. */
function Ways({ details: { phoneNumbers, emails } }: Pick<Customer, "details">) {
  const [phone] = phoneNumbers;
  const [first] = emails;
  return (
    <>
      {phone && (
        <a href={phoneLink(phone)} className={way}>
          <Phone aria-hidden size={14} className="shrink-0 text-muted" />
          {phoneText(phone)}
        </a>
      )}
      {first && (
        <a href={`mailto:${first.email}`} className={way}>
          <Mail aria-hidden size={14} className="shrink-0 text-muted" />
          <span className="truncate">{first.email}</span>
        </a>
      )}
    </>
  );
}

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
          <Ways details={one.details} />
        </>
      )}
    />
  );
}
