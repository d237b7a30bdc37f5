import type { Customer } from "@/api/schema";

/** The e-mail addresses and phone numbers of a record in a form: every field is a text, none is absent. */
export interface ContactValues {
  emails: { email: string; label: string }[];
  phoneNumbers: { country: string; phoneNumber: string; label: string }[];
}

/** What a record has of them. */
type Contact = Pick<Customer["details"], "emails" | "phoneNumbers">;

/** Returns the values of a form; a list without an entry has an empty row. `country` is that of a new number. */
export function toContactValues(contact: Contact | undefined, country: string): ContactValues {
  const emails = contact?.emails.map(({ email, label = "" }) => ({ email, label })) ?? [];
  const phones =
    contact?.phoneNumbers.map((one) => ({ country: one.country ?? "", phoneNumber: one.phoneNumber, label: one.label ?? "" })) ?? [];
  return {
    emails: emails.length > 0 ? emails : [{ email: "", label: "" }],
    phoneNumbers: phones.length > 0 ? phones : [{ country, phoneNumber: "", label: "" }],
  };
}

/** Empty rows are left out; `place` is the row of the form that each entry comes from. */
const filledEmails = (values: ContactValues) =>
  values.emails.map((one, place) => ({ ...one, place })).filter(({ email }) => email.trim() !== "");
const filledPhones = (values: ContactValues) =>
  values.phoneNumbers.map((one, place) => ({ ...one, place })).filter(({ phoneNumber }) => phoneNumber.trim() !== "");

/** Returns what the call takes. */
export const toContactInput = (values: ContactValues) => ({
  emails: filledEmails(values).map(({ email, label }) => ({ email: email.trim(), label: label.trim() })),
  phoneNumbers: filledPhones(values).map(({ country, phoneNumber, label }) => ({
    ...(country && { country }),
    phoneNumber: phoneNumber.trim(),
    label: label.trim(),
  })),
});

/** Returns the form field for the path of a server error, such as `emails.1.email`. */
export function contactFieldOf<V extends ContactValues>(path: string, values: V): string | undefined {
  const [name = "", index, part] = path.replace(/\[(\d+)\]/g, ".$1").split(".");
  if (name === "emails" || name === "phoneNumbers") {
    if (index === undefined) return `${name}.0.${name === "emails" ? "email" : "phoneNumber"}`;
    const place = (name === "emails" ? filledEmails(values) : filledPhones(values))[Number(index)]?.place ?? 0;
    return `${name}.${place}.${part ?? (name === "emails" ? "email" : "phoneNumber")}`;
  }
  return name in values ? name : undefined;
}
