import { queryOptions, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { api } from "@/api/client";
import { useMay } from "@/features/account/data";
import { formatNumber } from "@/lib/format";
import { toast } from "@/lib/toast";
import { queryKeysOf, recordKinds } from "@/records/kinds";

const setupQuery = queryOptions({
  queryKey: ["setup"],
  queryFn: ({ signal }) => api.get("/api/setup", { signal }),
});

/** How far the company is set up; only for its administrators. */
export function useSetup() {
  const may = useMay("settings.company");
  return useQuery({ ...setupQuery, enabled: may });
}

/** Puts the member's card with the steps away, or shows it again. */
export function useHideSetup() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (hidden: boolean) => api.patch("/api/setup", { hidden }),
    onSuccess: (setup) => client.setQueryData(setupQuery.queryKey, setup),
  });
}

/** Adds sample data and removes it, and says what became of it. */
export function useSampleData() {
  const { t } = useTranslation();
  const client = useQueryClient();
  const refresh = () => {
    const shown = Object.values(recordKinds).map(({ name }) => [name]);
    const keys = [setupQuery.queryKey, ...queryKeysOf("task"), ...shown];
    return Promise.all(keys.map((queryKey) => client.invalidateQueries({ queryKey })));
  };
  const add = useMutation({
    mutationFn: () => api.put("/api/setup/sample-data", {}),
    onSuccess: async (setup) => {
      client.setQueryData(setupQuery.queryKey, setup);
      await refresh();
      toast.success(t("ui.setup.sample.added"));
    },
  });
  const remove = useMutation({
    mutationFn: () => api.delete("/api/setup/sample-data"),
    onSuccess: async ({ purged, binned }) => {
      await refresh();
      const removed = t("ui.setup.sample.removed", { count: purged, total: formatNumber(purged) });
      const kept = binned > 0 ? t("ui.setup.sample.binned", { count: binned, total: formatNumber(binned) }) : "";
      toast.success(`${removed} ${kept}`.trim());
    },
  });
  return { add, remove };
}
