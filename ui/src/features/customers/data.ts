import { keepPreviousData, queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { api, ifMatch } from "@/api/client";
import type { Customer, CustomerFilter, CustomerPatch, List, NewCustomer } from "@/api/schema";

/** Rows per page of the list. */
export const pageSize = 50;

export const customersQuery = (filter: CustomerFilter) =>
  queryOptions({
    queryKey: ["customers", "list", filter],
    queryFn: ({ signal }) => api.get("/api/customers", { query: { ...filter, limit: pageSize }, signal }),
    placeholderData: keepPreviousData,
  });

/** One customer; the list's data is shown until the response arrives. */
export const customerQuery = (id: string) =>
  queryOptions({
    queryKey: ["customers", "one", id],
    queryFn: ({ signal }) => api.get("/api/customers/{id}", { path: { id }, signal }),
  });

export function useKnownCustomer(id: string): Customer | undefined {
  const client = useQueryClient();
  for (const [, page] of client.getQueriesData<List<Customer>>({ queryKey: ["customers", "list"] })) {
    const found = page?.items.find((customer) => customer.id === id);
    if (found) return found;
  }
  return undefined;
}

/** The tags in use, most used first. */
export const customerTagsQuery = queryOptions({
  queryKey: ["customers", "tags"],
  queryFn: async ({ signal }) => {
    const { customers } = await api.get("/api/dashboards/analytics", { query: { days: 30 }, signal });
    return customers.byTag.map(({ tag }) => tag);
  },
  staleTime: 5 * 60_000,
});

/** The open tasks that are linked to a customer. */
export const customerTasksQuery = (customerId: string) =>
  queryOptions({
    queryKey: ["tasks", "of-customer", customerId],
    queryFn: ({ signal }) => api.get("/api/tasks", { query: { customerId, completed: false, limit: 5 }, signal }),
  });

/** The fields of the form, for a new customer and for a change of one. */
export type CustomerInput = NewCustomer & CustomerPatch;

/** Creates a customer, or changes a known one over the version that was read. */
export function useSaveCustomer() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ input, known }: { input: CustomerInput; known: Customer | undefined }) =>
      known
        ? api.patch("/api/customers/{id}", input, { path: { id: known.id }, header: ifMatch(known.version) })
        : api.post("/api/customers", input),
    meta: { handled: true },
    onSuccess: (customer) => {
      client.setQueryData(customerQuery(customer.id).queryKey, customer);
      void client.invalidateQueries({ queryKey: ["customers", "list"] });
      void client.invalidateQueries({ queryKey: ["customers", "tags"] });
      void client.invalidateQueries({ queryKey: ["dashboards"] });
    },
  });
}
