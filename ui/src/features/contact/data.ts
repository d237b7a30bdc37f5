import { queryOptions, useQuery } from "@tanstack/react-query";
import { api } from "@/api/client";
import { useMay } from "@/features/account/data";
import { newId } from "@/lib/new-id";
import { listRecords } from "@/records/data";
import { formatFilter } from "@/records/list/filters";

/** People of an organization that its own screen shows. */
const maxPeople = 10;

/** Returns the filter of customers by their organization. */
export const organizationFilter = (id: string) => formatFilter({ column: "organizationId", operator: "is", values: [id] });

/** The first people of an organization by name, and how many there are. */
export const peopleQuery = (organizationId: string) =>
  queryOptions({
    queryKey: ["customers", "of-organization", organizationId],
    queryFn: ({ signal }) => listRecords("customer", { filter: [organizationFilter(organizationId)], sort: "name" }, maxPeople, signal),
  });

/** Deals of a person or organization that its own screen shows. */
const maxDeals = 8;

/** The first deals of a person or organization, open ones by their expected day and then the last closed ones, and how many there are. */
export const dealsQuery = (column: "organizationId" | "customerId", id: string) =>
  queryOptions({
    queryKey: ["deals", "of", column, id],
    queryFn: async ({ signal }) => {
      const own = formatFilter({ column, operator: "is", values: [id] });
      const [open, closed] = await Promise.all([
        listRecords("deal", { filter: [own, "outcome:is:open"], sort: "expectedDay" }, maxDeals, signal),
        listRecords("deal", { filter: [own, "outcome:not:open"], sort: "-closedAt" }, maxDeals, signal),
      ]);
      return { items: [...open.items, ...closed.items].slice(0, maxDeals), total: open.total + closed.total };
    },
  });

/** Open tasks of a record that its own screen shows. */
const maxTasks = 5;

/** The columns of the list of tasks that name what a task concerns. */
export type TaskColumn = "customerId" | "organizationId" | "dealId";

/** The filter of tasks by what they concern. */
export const taskFilter = (column: TaskColumn, id: string) => formatFilter({ column, operator: "is", values: [id] });

/** The open tasks of a record that are due first. */
export const openTasksQuery = (column: TaskColumn, id: string) =>
  queryOptions({
    queryKey: ["tasks", "of", column, id],
    queryFn: ({ signal }) =>
      listRecords("task", { filter: [taskFilter(column, id), "completed:is:false"], sort: "dueDate" }, maxTasks, signal),
  });

/** The companies that could become organizations. Not among the queries of customers: each reads all customers. */
export const companiesQuery = queryOptions({
  queryKey: ["companies"],
  queryFn: ({ signal }) => api.get("/api/customers/companies", { signal }),
  staleTime: 60_000,
});

/** Returns the companies that could become organizations, where the member may make them. */
export function useCompanies() {
  const isAllowed = [useMay("customers.read"), useMay("customers.write"), useMay("organizations.write")].every(Boolean);
  const { data } = useQuery({ ...companiesQuery, enabled: isAllowed });
  return isAllowed ? data : undefined;
}

/** Begins a bulk change that makes organizations of all companies except some. */
export const makeOrganizations = (except: string[]) =>
  api.post("/api/customers/companies/organizations", { except }, { header: { "Idempotency-Key": newId() } });
