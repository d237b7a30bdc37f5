import { queryOptions } from "@tanstack/react-query";
import { api } from "@/api/client";

/** The stages of the company's deals, and the reasons why they are won or lost. */
export const pipelineQuery = queryOptions({
  queryKey: ["pipeline"],
  queryFn: ({ signal }) => api.get("/api/deals/pipeline", { signal }),
  staleTime: 60_000,
});
