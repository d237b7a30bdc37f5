import { keepPreviousData, queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { api } from "@/api/client";
import type { CalendarEvent, Occurrence, Stamped } from "@/api/schema";
import { addDays } from "@/lib/zone";

/** Events from one day until before another, with one more day on each side for those that cross midnight. */
export const eventsQuery = (from: string, to: string) =>
  queryOptions({
    queryKey: ["events", "list", from, to],
    queryFn: async ({ signal }) =>
      (await api.get<{ items: Occurrence[] }>("/api/events", { query: { from: addDays(from, -1), to: addDays(to, 1) }, signal })).items,
    placeholderData: keepPreviousData,
  });

/** An event; a repeating one with the times of the given occurrence, else of its first. */
export const eventQuery = (id: string, occurrence?: string) =>
  queryOptions({
    queryKey: ["events", "one", id, ...(occurrence ? [occurrence] : [])],
    queryFn: ({ signal }) => api.get<CalendarEvent>(`/api/events/${id}`, { query: { occurrence }, signal }),
  });

/** The occurrences that a change applies to. */
export type Scope = "following" | "all";

/** Returns the query that names an occurrence in a change of the series. */
const query = (occurrence: string | undefined, scope: Scope) => (occurrence ? { occurrence, scope } : {});

type Editable = Omit<CalendarEvent, keyof Stamped | "calendarId">;
export type EventInput = { [K in keyof Editable]?: Editable[K] | null | undefined };

export function useSaveEvent(known: CalendarEvent | undefined, occurrence?: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ input, scope }: { input: EventInput; scope: Scope }) =>
      known
        ? api.patch<CalendarEvent>(`/api/events/${known.id}`, input, {
            query: query(occurrence, scope),
            headers: { "If-Match": `"${known.version}"` },
          })
        : api.post<CalendarEvent>("/api/events", input),
    meta: { handled: true },
    onSuccess: (event) => {
      client.setQueryData(eventQuery(event.id).queryKey, event);
      void client.invalidateQueries({ queryKey: ["events", "one"] });
      void client.invalidateQueries({ queryKey: ["events", "list"] });
      void client.invalidateQueries({ queryKey: ["dashboards"] });
    },
  });
}

export function useDeleteEvent() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ id, occurrence, scope }: { id: string; occurrence: string | undefined; scope: Scope }) =>
      api.delete<void>(`/api/events/${id}`, { query: query(occurrence, scope) }),
    onSuccess: (_answer, { id }) => {
      client.removeQueries({ queryKey: eventQuery(id).queryKey });
      void client.invalidateQueries({ queryKey: ["events", "list"] });
      void client.invalidateQueries({ queryKey: ["dashboards"] });
    },
  });
}
