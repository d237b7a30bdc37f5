import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { api } from "@/api/client";
import type { NotificationPreferences } from "@/api/schema";

const path = "/api/common/user/notification-preferences";

export const preferencesQuery = queryOptions({
  queryKey: ["notification-preferences"],
  queryFn: ({ signal }) => api.get<NotificationPreferences>(path, { signal }),
});

export function useSavePreferences() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (patch: Partial<NotificationPreferences>) => api.patch<NotificationPreferences>(path, patch),
    meta: { handled: true },
    onSuccess: (saved) => client.setQueryData(preferencesQuery.queryKey, saved),
  });
}
