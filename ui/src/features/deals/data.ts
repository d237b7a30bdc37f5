import { useQuery } from "@tanstack/react-query";
import { pipelineQuery } from "@/records/pipeline";

export { pipelineQuery };

/** Returns the stages of deals and the reasons why they are won or lost; none until they have been read. */
export function usePipeline() {
  const { data } = useQuery(pipelineQuery);
  const { stages = [], reasons = [] } = data ?? {};
  return {
    isKnown: data !== undefined,
    stages,
    /** With those that can no longer be chosen. */
    reasons,
    stageName: (id: string): string | undefined => stages.find((stage) => stage.id === id)?.name,
    reasonName: (id: string | undefined): string | undefined => reasons.find((reason) => reason.id === id)?.name,
  };
}
