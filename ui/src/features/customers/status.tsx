import { ColourPill } from "@/components/status-pill";
import { useStatuses } from "@/records/statuses";

/** The status of a customer, by its id; nothing until the company's statuses have been read. */
export function CustomerStatus({ status }: { status: string }) {
  const found = useStatuses().find(status);
  return found && <ColourPill colour={found.color}>{found.name}</ColourPill>;
}
