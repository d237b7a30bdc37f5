import { Mail, Phone } from "lucide-react";
import type { Customer } from "@/api/schema";
import { phoneLink, phoneText } from "@/lib/countries";

/** A link that is large enough for a finger. */
const way = "-my-1.5 flex min-h-11 max-w-full min-w-0 items-center gap-1.5";

/** Calls or writes to the customer or organization with one press. */
export function Ways({ phoneNumbers, emails }: Pick<Customer["details"], "phoneNumbers" | "emails">) {
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
