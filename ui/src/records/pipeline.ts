import { queryOptions, useQuery } from "@tanstack/react-query";
import { api } from "@/api/client";

/** The stages of the company's deals, and the reasons why they are won or lost. */
export const pipelineQuery = queryOptions({
  queryKey: ["pipeline"],
  queryFn: ({ signal }) => api.get("/api/deals/pipeline", { signal }),
  staleTime: 60_000,
});

/** Returns the stages of deals and the reasons why they are won or lost; none until they have been read. */
export function usePipeline() {
  const { data, isPending } = useQuery(pipelineQuery);
  const { stages = [], reasons = [] } = data ?? {};
  return {
    /** Whether they have not been read yet. */
    isPending,
    stages,
    /** With those that can no longer be chosen. */
    reasons,
    stageName: (id: string): string | undefined => stages.find((stage) => stage.id === id)?.name,
    reasonName: (id: string | undefined): string | undefined => reasons.find((reason) => reason.id === id)?.name,
  };
}
