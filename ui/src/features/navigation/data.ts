import { queryOptions } from "@tanstack/react-query";
import { api } from "@/api/client";

export const navigationQuery = queryOptions({
  queryKey: ["navigation"],
  queryFn: () => api.get("/api/global/navigation"),
  staleTime: 60_000,
});
