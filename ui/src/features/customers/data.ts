import { queryOptions } from "@tanstack/react-query";
import { api } from "@/api/client";

/** The tags in use, most used first. */
export const customerTagsQuery = queryOptions({
  queryKey: ["customers", "tags"],
  queryFn: async ({ signal }) => {
    const { customers } = await api.get("/api/dashboards/analytics", { query: { days: 30 }, signal });
    return customers.byTag.map(({ tag }) => tag);
  },
  staleTime: 5 * 60_000,
});
