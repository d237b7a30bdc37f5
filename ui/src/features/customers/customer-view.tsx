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
import { ContactHead } from "@/features/contact/contact-head";
import { Deals } from "@/features/contact/deals";
import { TagsFact } from "@/features/contact/name-and-tags";
import { NextMeeting } from "@/features/contact/next-meeting";
import { OpenTasks } from "@/features/contact/open-tasks";
import { OrganizationLink } from "@/features/contact/organization-link";
import { RelatedRecord } from "@/features/contact/related-record";
import { DuplicateLine } from "@/features/duplicates/duplicate-line";
import { PictureMenu } from "@/features/files/picture-menu";
import { EditableFact } from "@/features/records/editable-fact";
import { RecordFacts } from "@/features/records/record-facts";
import { useFactEditing } from "@/features/records/use-facts";
import { CustomerStatus } from "./status";

/** An attachment is an address, or a record with one. */
const attached = (one: Attachment | string) =>
  typeof one === "string" ? { url: one, name: one } : { url: one.url, name: one.name ?? one.url };

type Shown = Partial<Customer> & { company?: string };

/** Returns the values of a customer with the changes that are not saved yet. */
function useShown(customer: Customer) {
  const values = useFactEditing()?.values as Shown | undefined;
  return {
    ...customer,
    ...values,
    organizationId: values ? values.organizationId : customer.organizationId,
    company: values?.company ?? customer.details.company ?? "",
  };
}

/** Who a customer is: picture, name, status and tags, and the ways to reach them. */
export function CustomerHead({ record: customer }: { record: Customer }) {
  const { t } = useTranslation();
  const editing = useFactEditing();
  const { name, status, tags, avatar, background } = useShown(customer);
  const { emails, phoneNumbers, address } = customer.details;
  const face = <Avatar name={name} src={avatar} size={64} />;
  const picture = editing ? (
    <PictureMenu
      pictures={[
        { label: t("ui.customers.avatar"), value: avatar, onChange: (url) => editing.save({ avatar: url }) },
        { label: t("ui.customers.background"), value: background, onChange: (url) => editing.save({ background: url }) },
      ]}
    >
      {face}
    </PictureMenu>
  ) : (
    face
  );
  return (
    <ContactHead
      kind="customer"
      record={customer}
      name={name}
      cover={background}
      picture={picture}
      reach={{ emails, phoneNumbers, address }}
    >
      <div className="mt-3 flex flex-wrap items-center gap-1.5">
        <EditableFact kind="customer" input="status" asButton>
          <CustomerStatus status={status} />
        </EditableFact>
        <TagsFact kind="customer" tags={tags} />
      </div>
      <DuplicateLine kind="customer" record={{ id: customer.id, name }} />
    </ContactHead>
  );
}

/** A customer's data; empty fields are hidden. */
export function CustomerView({ record: customer }: { record: Customer }) {
  const { name, tags, organizationId, company } = useShown(customer);
  const { emails, phoneNumbers } = customer.details;
  const links = customer.attachments.links.map(attached);
  return (
    <RecordFacts
      kind="customer"
      record={customer}
      facts={[
        // Tags are above, once there are some.
        ...(tags.length === 0 ? [{ input: "tags", icon: Tags, show: false }] : []),
        {
          input: "company",
          icon: Building2,
          isMain: true,
          ...(organizationId && { show: <OrganizationLink id={organizationId} name={company} className="text-accent" /> }),
        },
        { input: "title", icon: BriefcaseBusiness, isMain: true },
        { input: "phoneNumbers", icon: Phone, isMain: true, show: phoneFacts({ kind: "customer", id: customer.id, name }, phoneNumbers) },
        { input: "emails", icon: Mail, isMain: true, show: emailFacts(emails) },
        { input: "address", icon: MapPin },
        { input: "ownerId", icon: UserRound },
        { input: "about", icon: AlignLeft },
        { input: "birthday", icon: Cake },
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
  );
}

/** What belongs to a customer. */
export function CustomerRelated({ record: customer }: { record: Customer }) {
  const { id, organizationId } = customer;
  const { name } = useShown(customer);
  const record = { kind: "customer", id, name } as const;
  return (
    <>
      {organizationId && <RelatedRecord kind="organization" id={organizationId} />}
      <NextMeeting record={record} attendee={record} />
      <OpenTasks record={record} />
      <Deals column="customerId" id={id} parameters={{ person: id, organization: organizationId }} />
    </>
  );
}
