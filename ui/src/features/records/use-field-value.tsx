import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Html } from "@/components/html";
import { RecordTitle } from "@/components/record-title";
import { ColourPill } from "@/components/status-pill";
import { useFieldText } from "@/features/fields/field-text";
import type { Field } from "@/records/fields";
import { useStatuses } from "@/records/statuses";
import { AttendeeList } from "./attendees";
import { CompanyName } from "./company-name";

/**
 * Returns a function that shows the value of a field where versions of records are compared: in full, and not to be
 * edited. `link` is the organization that a company names.
 */
export function useFieldValue(): (field: Field, value: unknown, link?: unknown) => ReactNode {
  const { t } = useTranslation();
  const text = useFieldText(() => undefined, "\n");
  const { find } = useStatuses();
  return (field, value, link) => {
    if (!value && field.none) return t(field.none);
    if (field.type === "attendees" && Array.isArray(value)) return <AttendeeList attendees={value} />;
    if (typeof value !== "string" || !value) return text(field, value);
    if (field.type === "company" && link) return <CompanyName name={value} />;
    if (field.type === "html") return <Html html={value} rich className="prose text-sm" />;
    if (field.type === "picture") return <img src={value} alt="" className="h-16 max-w-full rounded object-cover" />;
    if (field.type === "record" && field.target) return <RecordTitle kind={field.target} id={value} />;
    const status = field.type === "status" ? find(value) : undefined;
    return status ? <ColourPill colour={status.color}>{status.name}</ColourPill> : text(field, value);
  };
}
