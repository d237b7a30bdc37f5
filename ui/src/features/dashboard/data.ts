import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { api } from "@/api/client";
import { timedRefreshMs } from "@/api/query";

const flowDays = [14, 90] as const;
export type FlowDays = (typeof flowDays)[number];
/** The days of the first chart; `src/boot.ts` requests them early. */
export const defaultFlowDays = 14;

export const periods = [30, 90, 365] as const;
export type Period = (typeof periods)[number];

export const projectQuery = (days: FlowDays) =>
  queryOptions({
    queryKey: ["dashboards", "project", days],
    queryFn: ({ signal }) => api.get("/api/dashboards/project", { query: { days }, signal }),
    placeholderData: keepPreviousData,
    refetchInterval: timedRefreshMs,
  });

/** The number of a member's open tasks that are due today. */
export const ownDueQuery = (member: string) =>
  queryOptions({
    queryKey: ["dashboards", "own-due", member],
    queryFn: async ({ signal }) => {
      const query = { assigneeId: member, due: "today", completed: false, limit: 1 } as const;
      return (await api.get("/api/tasks", { query, signal })).total;
    },
    refetchInterval: timedRefreshMs,
  });

/** The open deals by stage, and those that were closed since a day by how they ended. */
export const dealsQuery = (since: string) =>
  queryOptions({
    queryKey: ["dashboards", "deals", since],
    queryFn: async ({ signal }) => {
      const query = { kind: "deals" as const, column: ["value"] };
      const [open, closed] = await Promise.all([
        api.get("/api/sums", { query: { ...query, by: "stageId", filter: ["outcome:is:open"] }, signal }),
        api.get("/api/sums", { query: { ...query, by: "outcome", filter: ["outcome:not:open", `closedAt:gte:${since}`] }, signal }),
      ]);
      return { open, closed };
    },
    refetchInterval: timedRefreshMs,
  });

export const analyticsQuery = (days: Period) =>
  queryOptions({
    queryKey: ["dashboards", "analytics", days],
    queryFn: ({ signal }) => api.get("/api/dashboards/analytics", { query: { days }, signal }),
    placeholderData: keepPreviousData,
  });
