import type { Customer } from "@/api/schema";
import type { NamedContact } from "@/features/record-parts/logging";
import { phoneText } from "@/lib/countries";
import { PhoneLink } from "./phone-link";

/** The preferred e-mail address of a record in its row, which writes to it. */
export const emailCell = ([first]: Customer["details"]["emails"]) =>
  first && (
    <a href={`mailto:${first.email}`} className="block truncate hover:underline">
      {first.email}
    </a>
  );

/** The preferred phone number of a record in its row, which calls it. */
export const phoneCell = (record: NamedContact, [first]: Customer["details"]["phoneNumbers"]) =>
  first && (
    <PhoneLink record={record} phone={first} className="hover:underline">
      {phoneText(first)}
    </PhoneLink>
  );
