import { keepPreviousData, queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { api, ifMatch } from "@/api/client";
import type { EventScope } from "@/api/schema";
import { toast } from "@/lib/toast";
import { addDays } from "@/lib/zone";
import type { ChangeRecord } from "@/records/data";

/** Events from one day until before another, with one more day on each side for those that cross midnight. */
export const eventsQuery = (from: string, to: string) =>
  queryOptions({
    queryKey: ["events", "agenda", from, to],
    queryFn: async ({ signal }) => (await api.get("/api/events", { query: { from: addDays(from, -1), to: addDays(to, 1) }, signal })).items,
    placeholderData: keepPreviousData,
  });

/** An event; a repeating one with the times of the given occurrence, else of its first. */
export const eventQuery = (id: string, occurrence?: string) =>
  queryOptions({
    queryKey: ["events", "one", id, ...(occurrence ? [occurrence] : [])],
    queryFn: ({ signal }) => api.get("/api/events/{id}", { path: { id }, query: { occurrence }, signal }),
  });

/** Returns the query that names an occurrence in a change of the series. */
const query = (occurrence: string | undefined, scope: EventScope) => (occurrence ? { occurrence, scope } : {});

/** Returns the call that changes an event; of a series, what `scope` says. */
export const changeEvent =
  (occurrence: string | undefined, scope: EventScope): ChangeRecord<"event"> =>
  (input, { id, version }) =>
    api.patch("/api/events/{id}", input, { path: { id }, query: query(occurrence, scope), header: ifMatch(version) });

/** Deletes an occurrence of a series and all later ones. */
export function useShortenSeries() {
  const { t } = useTranslation();
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ id, occurrence }: { id: string; title: string; occurrence: string }) =>
      api.delete("/api/events/{id}", { path: { id }, query: query(occurrence, "following") }),
    onSuccess: (_answer, { id, title }) => {
      client.removeQueries({ queryKey: eventQuery(id).queryKey });
      void client.invalidateQueries({ queryKey: ["events"] });
      void client.invalidateQueries({ queryKey: ["dashboards"] });
      toast.success(t("ui.events.deletedFollowing", { title }));
    },
  });
}
