import type { Customer } from "@/api/schema";
import type { NamedContact } from "@/features/record-parts/logging";
import { phoneText } from "@/lib/countries";
import { cx } from "@/lib/cx";
import { PhoneLink } from "./phone-link";

/** The look of a link in a fact. On touch screens, its line is as high as a fingertip. */
export const factLinkClass =
  "text-accent hover:underline pointer-coarse:inline-block pointer-coarse:max-w-full pointer-coarse:truncate pointer-coarse:py-3 pointer-coarse:align-middle";

/** There, the label stays beside an address that is cut off. */
const line = "pointer-coarse:flex pointer-coarse:min-w-0 pointer-coarse:items-center";

const labelled = (label: string | undefined) =>
  label && <span className="text-muted pointer-coarse:shrink-0 pointer-coarse:whitespace-pre">{` · ${label}`}</span>;

/** The e-mail addresses of a record as links; nothing without any. */
export const emailFacts = (emails: Customer["details"]["emails"]) =>
  emails.length > 0 && (
    <ul className="grid grid-cols-1 gap-1 pointer-coarse:-my-3 pointer-coarse:gap-0">
      {emails.map((one) => (
        <li key={`${one.email} ${one.label}`} className={cx("[overflow-wrap:anywhere]", line)}>
          <a href={`mailto:${one.email}`} className={factLinkClass}>
            {one.email}
          </a>
          {labelled(one.label)}
        </li>
      ))}
    </ul>
  );

/** The phone numbers of a record as links; nothing without any. */
export const phoneFacts = (record: NamedContact, phoneNumbers: Customer["details"]["phoneNumbers"]) =>
  phoneNumbers.length > 0 && (
    <ul className="grid gap-1 tabular-nums pointer-coarse:-my-3 pointer-coarse:gap-0">
      {phoneNumbers.map((one) => (
        <li key={`${one.phoneNumber} ${one.label}`} className={line}>
          <PhoneLink record={record} phone={one} className={factLinkClass}>
            {phoneText(one)}
          </PhoneLink>
          {labelled(one.label)}
        </li>
      ))}
    </ul>
  );
