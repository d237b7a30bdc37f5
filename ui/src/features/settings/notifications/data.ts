import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { api } from "@/api/client";
import type { NotificationPreferencesPatch } from "@/api/schema";

const path = "/api/common/user/notification-preferences";

export const preferencesQuery = queryOptions({
  queryKey: ["notification-preferences"],
  queryFn: ({ signal }) => api.get(path, { signal }),
});

export function useSavePreferences() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (patch: NotificationPreferencesPatch) => api.patch(path, patch),
    meta: { handled: true },
    onSuccess: (saved) => client.setQueryData(preferencesQuery.queryKey, saved),
  });
}
