import type { Customer } from "@/api/schema";
import { phoneLink, phoneText } from "@/lib/countries";

/** The preferred e-mail address of a record in its row, which writes to it. */
export const emailCell = ([first]: Customer["details"]["emails"]) =>
  first && (
    <a href={`mailto:${first.email}`} className="block truncate hover:underline">
      {first.email}
    </a>
  );

/** The preferred phone number of a record in its row, which calls it. */
export const phoneCell = ([first]: Customer["details"]["phoneNumbers"]) =>
  first && (
    <a href={phoneLink(first)} className="hover:underline">
      {phoneText(first)}
    </a>
  );
