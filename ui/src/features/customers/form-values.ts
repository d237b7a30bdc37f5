import type { Customer, InputOf } from "@/api/schema";
import { type ContactValues, contactFieldOf, toContactInput, toContactValues } from "@/features/contact/contact-values";
import { textOrNull } from "@/lib/text-or-null";

/** A file or an address that belongs to a customer. */
export interface Attached {
  kind: keyof Customer["attachments"];
  url: string;
  name: string;
}
const attachmentKinds: Attached["kind"][] = ["media", "docs", "links"];

/** The form's values: every field is a text or list, none is absent. */
export interface CustomerValues extends ContactValues {
  name: string;
  avatar: string | null;
  background: string | null;
  /** Empty for the first status of the company. */
  status: string;
  tags: string[];
  ownerId: string | null;
  about: string;
  notes: string;
  title: string;
  /** The text of the company, which the name of an organization replaces. */
  company: string;
  organizationId: string | null;
  /** Whether an organization with the name of the company is created with the customer. */
  newOrganization: boolean;
  birthday: string | null;
  address: string;
  attachments: Attached[];
}

export function toValues(customer: Customer | undefined, country: string): CustomerValues {
  const details = customer?.details;
  return {
    name: customer?.name ?? "",
    avatar: customer?.avatar ?? null,
    background: customer?.background ?? null,
    status: customer?.status ?? "",
    tags: customer?.tags ?? [],
    ownerId: customer?.ownerId ?? null,
    about: customer?.about ?? "",
    notes: customer?.notes ?? "",
    title: details?.title ?? "",
    company: details?.company ?? "",
    organizationId: customer?.organizationId ?? null,
    newOrganization: false,
    birthday: details?.birthday ?? null,
    address: details?.address ?? "",
    ...toContactValues(details, country),
    attachments: attachmentKinds.flatMap((kind) =>
      (customer?.attachments[kind] ?? []).map(({ url, name }) => ({ kind, url, name: name ?? "" })),
    ),
  };
}

/** Returns the request body; empty fields are null. */
export function toInput(values: CustomerValues): InputOf<"customer"> {
  const attached = (kind: Attached["kind"]) =>
    values.attachments.filter((one) => one.kind === kind).map(({ url, name }) => ({ url, ...(name.trim() && { name: name.trim() }) }));
  const { avatar, background, status, tags, ownerId } = values;
  const organizationId = values.organizationId ?? null;
  return {
    name: values.name.trim(),
    avatar,
    background,
    ...(status && { status }),
    tags,
    ownerId,
    organizationId,
    ...(values.newOrganization && organizationId === null && { newOrganization: true }),
    about: textOrNull(values.about),
    notes: textOrNull(values.notes),
    attachments: { media: attached("media"), docs: attached("docs"), links: attached("links") },
    details: {
      title: textOrNull(values.title),
      // The server sets the name of the organization, which a colleague may have changed since.
      ...(organizationId === null && { company: textOrNull(values.company) }),
      birthday: textOrNull(values.birthday),
      address: textOrNull(values.address),
      ...toContactInput(values),
    },
  };
}

/** Returns the form field for the path of a server error. The organization is chosen in the field of the company. */
export const fieldOf = (path: string, values: CustomerValues) =>
  path === "organizationId" ? "company" : contactFieldOf(path.replace(/^details\./, ""), values);
