import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { api } from "@/api/client";
import type { AnalyticsDashboard, ProjectDashboard } from "@/api/schema";

const flowDays = [14, 90] as const;
export type FlowDays = (typeof flowDays)[number];

export const periods = [30, 90, 365] as const;
export type Period = (typeof periods)[number];

export const projectQuery = (days: FlowDays) =>
  queryOptions({
    queryKey: ["dashboards", "project", days],
    queryFn: ({ signal }) => api.get<ProjectDashboard>("/api/dashboards/project", { query: { days }, signal }),
    placeholderData: keepPreviousData,
    refetchInterval: 300_000,
  });

export const analyticsQuery = (days: Period) =>
  queryOptions({
    queryKey: ["dashboards", "analytics", days],
    queryFn: ({ signal }) => api.get<AnalyticsDashboard>("/api/dashboards/analytics", { query: { days }, signal }),
    placeholderData: keepPreviousData,
  });
