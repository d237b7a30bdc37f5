import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import type { Customer, Organization } from "@/api/schema";
import { useMay } from "@/features/account/data";
import { recordQuery } from "@/records/data";
import { pathOfKind, recordKinds } from "@/records/kinds";
import { cardOf } from "@/records/record-titles";
import { RelatedRow } from "./related-row";
import { RelatedSection } from "./related-section";

export interface RelatedRecordProps {
  kind: "customer" | "organization";
  id: string;
}

/** The job of a person, or the town of an organization. */
const lineOf = (record: Customer | Organization) => ("details" in record ? record.details.title : record.address?.split("\n").at(-1));

/** The person or organization of a record; nothing while it is unknown, or for members who may not read it. */
export function RelatedRecord({ kind, id }: RelatedRecordProps) {
  const { t } = useTranslation();
  const { data } = useQuery({ ...recordQuery(kind, id), enabled: useMay(`${recordKinds[kind].name}.read`) });
  if (!data) return null;
  const { title, avatar } = cardOf(data);
  return (
    <RelatedSection id={`${kind}-${id}`} title={t(kind === "customer" ? "ui.deals.person" : "ui.customers.organization")}>
      <div className="mt-1 -ml-2">
        <RelatedRow to={`${pathOfKind(kind)}/${id}`} name={title} line={lineOf(data)} picture={avatar} />
      </div>
    </RelatedSection>
  );
}
