import { type QueryClient, useQuery } from "@tanstack/react-query";
import { recordId } from "@/lib/search-params";
import { recordQuery } from "@/records/data";
import { type CreatedKind, createdKinds, pathOfKind } from "@/records/kinds";
import type { ContactOf } from "./logging";

/** The records that something concerns which is added to a record. */
export interface Concerned {
  customerId?: string;
  organizationId?: string;
  dealId?: string;
}

const concernedBy = ({ kind, id }: ContactOf, record: object | undefined): Concerned => {
  const { customerId, organizationId }: Concerned = record ?? {};
  return { ...(customerId && { customerId }), ...(organizationId && { organizationId }), [`${kind}Id`]: id };
};

/** Reads what a task concerns that is added to a record: also the organization of a person, and both of a deal. */
export const readConcerned = async (client: QueryClient, record: ContactOf): Promise<Concerned> =>
  concernedBy(
    record,
    // Without a connection, it is not waited for.
    await client.ensureQueryData({ ...recordQuery(record.kind, record.id), networkMode: "always", retry: false }).catch(() => undefined),
  );

/** The parameter of the address of a new record: the record to which it will be linked, as `kind:id`. */
export const linkParameter = "link";

/** Reads this parameter. */
export function parseLink(text: string): { kind: CreatedKind; id: string } | undefined {
  const [name, id = ""] = text.split(":");
  const kind = createdKinds.find((one) => one.kind === name)?.kind;
  return kind && recordId(id) ? { kind, id } : undefined;
}

/** Returns the address of a new event with the person of a record, or else linked to the record. */
export function useNewEventPath(record: ContactOf): string {
  const { kind, id } = record;
  // What the screen has read; it is not read for this.
  const { data } = useQuery({ ...recordQuery(kind, id), enabled: false });
  const { customerId } = concernedBy(record, data);
  const params = new URLSearchParams({
    ...(customerId && { person: customerId }),
    ...(kind !== "customer" && { [linkParameter]: `${kind}:${id}` }),
  });
  return `${pathOfKind("event")}/new?${params}`;
}
