import { queryOptions } from "@tanstack/react-query";
import { api } from "@/api/client";
import type { Navigation } from "@/api/schema";

export const navigationQuery = queryOptions({
  queryKey: ["navigation"],
  queryFn: () => api.get<Navigation>("/api/global/navigation"),
  staleTime: 60_000,
});
