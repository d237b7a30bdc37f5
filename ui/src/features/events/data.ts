import { keepPreviousData, queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { api, ifMatch } from "@/api/client";
import type { CalendarEvent, EventFilter, EventPatch, EventScope, NewEvent } from "@/api/schema";
import { toast } from "@/lib/toast";
import { addDays } from "@/lib/zone";

/** Events from one day until before another, with one more day on each side for those that cross midnight. */
export const eventsQuery = (from: string, to: string) =>
  queryOptions({
    queryKey: ["events", "list", from, to],
    queryFn: async ({ signal }) => (await api.get("/api/events", { query: { from: addDays(from, -1), to: addDays(to, 1) }, signal })).items,
    placeholderData: keepPreviousData,
  });

/** Rows per page of the list. */
export const pageSize = 50;

/** Events as records: each series once. */
export const eventRecordsQuery = (request: EventFilter) =>
  queryOptions({
    queryKey: ["events", "list", request],
    queryFn: ({ signal }) => api.get("/api/events/records", { query: { ...request, limit: pageSize }, signal }),
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

/** The fields of the form, for a new event and for a change of one. */
export type EventInput = NewEvent & EventPatch;

/** Creates an event, or changes a known one over the version that was read; of a series, what `scope` says. */
export function useSaveEvent(occurrence: string | undefined, scope: EventScope) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ input, known }: { input: EventInput; known: CalendarEvent | undefined }) =>
      known
        ? api.patch("/api/events/{id}", input, {
            path: { id: known.id },
            query: query(occurrence, scope),
            header: ifMatch(known.version),
          })
        : api.post("/api/events", input),
    meta: { handled: true },
    onSuccess: (event) => {
      client.setQueryData(eventQuery(event.id).queryKey, event);
      void client.invalidateQueries({ queryKey: ["events", "one"] });
      void client.invalidateQueries({ queryKey: ["events", "list"] });
      void client.invalidateQueries({ queryKey: ["dashboards"] });
    },
  });
}

/** Deletes an occurrence of a series and all later ones. */
export function useShortenSeries() {
  const { t } = useTranslation();
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ id, occurrence }: { id: string; title: string; occurrence: string }) =>
      api.delete("/api/events/{id}", { path: { id }, query: query(occurrence, "following") }),
    onSuccess: (_answer, { id, title }) => {
      client.removeQueries({ queryKey: eventQuery(id).queryKey });
      void client.invalidateQueries({ queryKey: ["events", "list"] });
      void client.invalidateQueries({ queryKey: ["dashboards"] });
      toast.success(t("ui.events.deletedFollowing", { title }));
    },
  });
}
