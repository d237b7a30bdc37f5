import {
  AlignLeft,
  BriefcaseBusiness,
  Building2,
  Cake,
  ExternalLink,
  Mail,
  MapPin,
  NotebookText,
  Paperclip,
  Phone,
  Tags,
  UserRound,
} from "lucide-react";
import { useTranslation } from "react-i18next";
import type { Attachment, Customer } from "@/api/schema";
import { Avatar } from "@/components/avatar";
import { Html } from "@/components/html";
import { SafeLink } from "@/components/safe-link";
import { emailFacts, phoneFacts } from "@/features/contact/contact-facts";
import { ContactFacts } from "@/features/contact/contact-state";
import { Deals } from "@/features/contact/deals";
import { NameFact, TagsFact } from "@/features/contact/name-and-tags";
import { OpenTasks } from "@/features/contact/open-tasks";
import { OrganizationLink } from "@/features/contact/organization-link";
import { EditableFact } from "@/features/records/editable-fact";
import { RecordFacts } from "@/features/records/record-facts";
import { useFactEditing } from "@/features/records/use-facts";
import { mediumDate } from "@/lib/format";
import { CustomerStatus } from "./status";

/** An attachment is an address, or a record with one. */
const attached = (one: Attachment | string) =>
  typeof one === "string" ? { url: one, name: one } : { url: one.url, name: one.name ?? one.url };

/** A customer's data; empty fields are hidden. */
export function CustomerView({ record: customer }: { record: Customer }) {
  const { t } = useTranslation();
  const editing = useFactEditing();
  const values = editing?.values as (Partial<Customer> & { company?: string }) | undefined;
  const { name, status, tags } = { ...customer, ...values };
  const organizationId = values ? values.organizationId : customer.organizationId;
  const company = values?.company ?? customer.details.company ?? "";
  const { emails, phoneNumbers } = customer.details;
  const links = customer.attachments.links.map(attached);
  return (
    <>
      <div className="h-32 bg-tint sm:h-36">
        {customer.background && <img src={customer.background} alt="" className="size-full object-cover" />}
      </div>
      <div className="px-5 sm:px-6">
        <Avatar name={name} src={customer.avatar} size={104} className="-mt-14 rounded-full ring-4 ring-surface" />
        <NameFact kind="customer" name={name} />
        <div className="mt-2.5 flex flex-wrap items-center gap-1.5">
          <EditableFact kind="customer" input="status" asButton>
            <CustomerStatus status={status} />
          </EditableFact>
          <TagsFact kind="customer" tags={tags} />
        </div>
        <ContactFacts {...customer} />
        <RecordFacts
          kind="customer"
          record={customer}
          facts={[
            // Tags are above, once there are some.
            ...(tags.length === 0 ? [{ input: "tags", icon: Tags, show: false }] : []),
            { input: "about", icon: AlignLeft },
            {
              input: "company",
              icon: Building2,
              ...(organizationId && { show: <OrganizationLink id={organizationId} name={company} className="text-accent" /> }),
            },
            { input: "title", icon: BriefcaseBusiness },
            {
              input: "emails",
              icon: Mail,
              show: emailFacts(emails),
            },
            {
              input: "phoneNumbers",
              icon: Phone,
              show: phoneFacts(phoneNumbers),
            },
            { input: "address", icon: MapPin },
            { input: "birthday", icon: Cake },
            { input: "ownerId", icon: UserRound },
            {
              input: "attachments",
              icon: Paperclip,
              show: links.length > 0 && (
                <ul className="grid grid-cols-1 gap-1">
                  {links.map((file) => (
                    <li key={file.url} className="truncate">
                      <SafeLink
                        link={file.url}
                        useRouter={false}
                        className="inline-flex max-w-full items-center gap-1.5 text-accent hover:underline"
                      >
                        <span className="truncate">{file.name}</span>
                        <ExternalLink aria-hidden size={14} />
                      </SafeLink>
                    </li>
                  ))}
                </ul>
              ),
            },
            { input: "notes", icon: NotebookText, show: customer.notes && <Html html={customer.notes} rich className="prose" /> },
          ]}
        />
        <Deals column="customerId" id={customer.id} parameters={{ person: customer.id, organization: customer.organizationId }} />
        <OpenTasks column="customerId" id={customer.id} />
        <p className="mt-6 text-sm text-muted">
          {t("ui.customers.dates", { created: mediumDate(customer.createdAt), updated: mediumDate(customer.updatedAt) })}
        </p>
      </div>
    </>
  );
}
