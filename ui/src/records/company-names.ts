import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { fold } from "@/lib/fold";
import { listRecords } from "./data";
import { formatFilter } from "./list/filters";

/** Customers that are read to find the names of their companies. */
const maxCustomers = 100;

/** The names of companies with these words that customers have as a text, each once whatever its case and accents. */
export const companyNamesQuery = (words: string) =>
  queryOptions({
    queryKey: ["customers", "company-names", words],
    queryFn: async ({ signal }) => {
      const filter = [
        formatFilter({ column: "company", operator: "contains", values: [words] }),
        formatFilter({ column: "organizationId", operator: "empty", values: [] }),
      ];
      const { items } = await listRecords("customer", { filter, sort: "company" }, maxCustomers, signal);
      const names = items.flatMap(({ details }) => details.company ?? []);
      return [...new Map(names.toReversed().map((name) => [fold(name), name])).values()].reverse();
    },
    placeholderData: keepPreviousData,
    staleTime: 10_000,
  });
