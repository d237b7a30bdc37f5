import { queryOptions, useQuery } from "@tanstack/react-query";
import { api } from "@/api/client";
import type { CustomerStatus } from "@/api/schema";
import type { ColumnChoice } from "./list/columns";

/** The statuses of the company's customers. */
export const statusesQuery = queryOptions({
  queryKey: ["customer-statuses"],
  queryFn: ({ signal }) => api.get("/api/customers/statuses", { signal }),
  staleTime: 60_000,
});

/** Returns the statuses of customers; none until they have been read. */
export function useStatuses() {
  const { data, isPending } = useQuery(statusesQuery);
  const statuses = data?.statuses ?? [];
  return {
    /** Whether they have not been read yet. */
    isPending,
    /** With those that are being replaced. */
    statuses,
    /** Those that can be chosen; the first one is that of new customers. */
    offered: statuses.filter(({ replacedBy }) => replacedBy === undefined),
    find: (id: string) => statuses.find((status) => status.id === id),
  };
}

/** Returns statuses as the choices of a column; those that are being replaced can only be filtered by. */
export const statusChoices = (statuses: CustomerStatus[]): ColumnChoice[] =>
  statuses.map(({ id, name, color, replacedBy }) => ({ key: id, name, color, ...(replacedBy !== undefined && { isGone: true }) }));
