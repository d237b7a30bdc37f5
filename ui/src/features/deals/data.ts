import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { api } from "@/api/client";
import { pipelineQuery } from "@/records/pipeline";

export { pipelineQuery };

/** What the forecast is asked for: its first month, the number of months, words and filters. */
export interface ForecastRequest {
  from?: string | undefined;
  months: number;
  q?: string | undefined;
  filter: string[];
}

/** What open deals are worth by month, and what was won. */
export const forecastQuery = (request: ForecastRequest) =>
  queryOptions({
    queryKey: ["deals", "forecast", request],
    queryFn: ({ signal }) => api.get("/api/deals/forecast", { query: { ...request }, signal }),
    placeholderData: keepPreviousData,
  });
