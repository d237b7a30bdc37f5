import { keepPreviousData, queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { api } from "@/api/client";
import type { CalendarEvent, Occurrence, Stamped } from "@/api/schema";
import { addDays } from "@/lib/zone";

/** What is on from one day until before another. A day more each side holds what crosses midnight. */
export const eventsQuery = (from: string, to: string) =>
  queryOptions({
    queryKey: ["events", "list", from, to],
    queryFn: async ({ signal }) =>
      (await api.get<{ items: Occurrence[] }>("/api/events", { query: { from: addDays(from, -1), to: addDays(to, 1) }, signal })).items,
    placeholderData: keepPreviousData,
  });

export const eventQuery = (id: string) =>
  queryOptions({
    queryKey: ["events", "one", id],
    queryFn: ({ signal }) => api.get<CalendarEvent>(`/api/events/${id}`, { signal }),
  });

type Editable = Omit<CalendarEvent, keyof Stamped | "calendarId">;
export type EventInput = { [K in keyof Editable]?: Editable[K] | null | undefined };

export function useSaveEvent(known: CalendarEvent | undefined) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (input: EventInput) =>
      known
        ? api.patch<CalendarEvent>(`/api/events/${known.id}`, input, { headers: { "If-Match": `"${known.version}"` } })
        : api.post<CalendarEvent>("/api/events", input),
    meta: { handled: true },
    onSuccess: (event) => {
      client.setQueryData(eventQuery(event.id).queryKey, event);
      void client.invalidateQueries({ queryKey: ["events", "list"] });
      void client.invalidateQueries({ queryKey: ["dashboards"] });
    },
  });
}

export function useDeleteEvent() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (id: string) => api.delete<void>(`/api/events/${id}`),
    onSuccess: (_answer, id) => {
      client.removeQueries({ queryKey: eventQuery(id).queryKey });
      void client.invalidateQueries({ queryKey: ["events", "list"] });
      void client.invalidateQueries({ queryKey: ["dashboards"] });
    },
  });
}
