import type { Customer, InputOf } from "@/api/schema";
import { textOrNull } from "@/lib/text-or-null";

/** A file or an address that belongs to a customer. */
export interface Attached {
  kind: keyof Customer["attachments"];
  url: string;
  name: string;
}
const attachmentKinds: Attached["kind"][] = ["media", "docs", "links"];

/** The form's values: every field is a text or list, none is absent. */
export interface CustomerValues {
  name: string;
  avatar: string | null;
  background: string | null;
  status: Customer["status"];
  tags: string[];
  ownerId: string | null;
  about: string;
  notes: string;
  title: string;
  company: string;
  birthday: string | null;
  address: string;
  emails: { email: string; label: string }[];
  phoneNumbers: { country: string; phoneNumber: string; label: string }[];
  attachments: Attached[];
}

export function toValues(customer: Customer | undefined, country: string): CustomerValues {
  const details = customer?.details;
  const emails = details?.emails.map(({ email, label = "" }) => ({ email, label })) ?? [];
  const phones = details?.phoneNumbers.map((one) => ({ country: one.country ?? "", phoneNumber: one.phoneNumber, label: one.label ?? "" }));
  return {
    name: customer?.name ?? "",
    avatar: customer?.avatar ?? null,
    background: customer?.background ?? null,
    status: customer?.status ?? "lead",
    tags: customer?.tags ?? [],
    ownerId: customer?.ownerId ?? null,
    about: customer?.about ?? "",
    notes: customer?.notes ?? "",
    title: details?.title ?? "",
    company: details?.company ?? "",
    birthday: details?.birthday ?? null,
    address: details?.address ?? "",
    emails: emails.length > 0 ? emails : [{ email: "", label: "" }],
    attachments: attachmentKinds.flatMap((kind) =>
      (customer?.attachments[kind] ?? []).map(({ url, name }) => ({ kind, url, name: name ?? "" })),
    ),
    phoneNumbers: phones && phones.length > 0 ? phones : [{ country, phoneNumber: "", label: "" }],
  };
}

/** Empty rows are left out; `place` is the row of the form that each entry comes from. */
const filledEmails = (values: CustomerValues) =>
  values.emails.map((one, place) => ({ ...one, place })).filter(({ email }) => email.trim() !== "");
const filledPhones = (values: CustomerValues) =>
  values.phoneNumbers.map((one, place) => ({ ...one, place })).filter(({ phoneNumber }) => phoneNumber.trim() !== "");

/** Returns the request body; empty fields are null. */
export function toInput(values: CustomerValues): InputOf<"customer"> {
  const attached = (kind: Attached["kind"]) =>
    values.attachments.filter((one) => one.kind === kind).map(({ url, name }) => ({ url, ...(name.trim() && { name: name.trim() }) }));
  const { avatar, background, status, tags, ownerId } = values;
  return {
    name: values.name.trim(),
    avatar,
    background,
    status,
    tags,
    ownerId,
    about: textOrNull(values.about),
    notes: textOrNull(values.notes),
    attachments: { media: attached("media"), docs: attached("docs"), links: attached("links") },
    details: {
      title: textOrNull(values.title),
      company: textOrNull(values.company),
      birthday: textOrNull(values.birthday),
      address: textOrNull(values.address),
      emails: filledEmails(values).map(({ email, label }) => ({ email: email.trim(), label: label.trim() })),
      phoneNumbers: filledPhones(values).map(({ country, phoneNumber, label }) => ({
        ...(country && { country }),
        phoneNumber: phoneNumber.trim(),
        label: label.trim(),
      })),
    },
  };
}

/** Returns the form field for the path of a server error. */
export function fieldOf(path: string, values: CustomerValues): string | undefined {
  const plain = path.replace(/\[(\d+)\]/g, ".$1").replace(/^details\./, "");
  const [name = "", index, part] = plain.split(".");
  if (name === "emails" || name === "phoneNumbers") {
    if (index === undefined) return `${name}.0.${name === "emails" ? "email" : "phoneNumber"}`;
    const place = (name === "emails" ? filledEmails(values) : filledPhones(values))[Number(index)]?.place ?? 0;
    return `${name}.${place}.${part ?? (name === "emails" ? "email" : "phoneNumber")}`;
  }
  return name in values ? name : undefined;
}
