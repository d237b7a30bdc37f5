import { useQuery } from "@tanstack/react-query";
import type { Deal } from "@/api/schema";
import { useMay } from "@/features/account/data";
import type { Reach } from "@/features/contact/quick-actions";
import { recordQuery } from "@/records/data";

/** Returns how the person of a deal is reached, or what the person has not: the organization. */
export function useReach({ customerId, organizationId }: Pick<Deal, "customerId" | "organizationId">): Reach {
  const mayPeople = useMay("customers.read");
  const mayOrganizations = useMay("organizations.read");
  const { data: person } = useQuery({ ...recordQuery("customer", customerId ?? ""), enabled: mayPeople && customerId !== undefined });
  const { data: organization } = useQuery({
    ...recordQuery("organization", organizationId ?? ""),
    enabled: mayOrganizations && organizationId !== undefined,
  });
  const own = person?.details;
  const either = <T>(mine: T[] = [], other: T[] = []) => (mine.length > 0 ? mine : other);
  return {
    phoneNumbers: either(own?.phoneNumbers, organization?.phoneNumbers),
    emails: either(own?.emails, organization?.emails),
    address: own?.address ?? organization?.address,
    name: person?.name ?? organization?.name,
  };
}
