import { queryOptions } from "@tanstack/react-query";
import { api } from "@/api/client";
import type { RecordImport } from "@/api/schema";

/** Milliseconds between two looks at an import in progress, in case no frames arrive. */
export const importLookMs = 2_000;

export const isInProgress = ({ state }: RecordImport) => state === "checking" || state === "running" || state === "undoing";

/** The member's imports of the last 30 days, or those of all for administrators; the newest first. */
export const importsQuery = queryOptions({
  queryKey: ["imports", "list"],
  queryFn: async ({ signal }) => (await api.get("/api/imports", { signal })).items,
  staleTime: 0,
  refetchInterval: ({ state }) => (state.data?.some(isInProgress) ? importLookMs : false),
});

/** The column by which lists are filtered by an import. */
export const importColumn = "import";
