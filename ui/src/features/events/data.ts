import { keepPreviousData, queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { api, ifMatch } from "@/api/client";
import type { CalendarEvent, EventScope } from "@/api/schema";
import { toast } from "@/lib/toast";
import { addDays } from "@/lib/zone";
import { type ChangeRecord, isGone } from "@/records/data";
import { queryKeysOf } from "@/records/kinds";
import { readOccurrences } from "@/records/occurrences";
import { useRestore } from "@/records/use-restore";

/** Events from one day until before another, with one more day on each side for those that cross midnight. */
export const eventsQuery = (from: string, to: string) =>
  queryOptions({
    queryKey: ["events", "agenda", from, to],
    queryFn: ({ signal }) => readOccurrences({ from: addDays(from, -1), to: addDays(to, 1) }, signal),
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

/** Gives a shortened series its former rule; an empty one is in the bin and is taken out. */
function useExtendSeries() {
  const client = useQueryClient();
  const { mutate: restore } = useRestore();
  return useMutation({
    mutationFn: ({ id, recurrence }: { id: string; recurrence: string | undefined }) =>
      api.patch("/api/events/{id}", { recurrence }, { path: { id } }).catch((error: unknown) => {
        if (!isGone(error)) throw error;
        restore({ id, kind: "event" });
      }),
    onSuccess: () => {
      for (const queryKey of queryKeysOf("event")) void client.invalidateQueries({ queryKey });
    },
  });
}

/** Deletes an occurrence of a series and all later ones, and offers to undo. */
export function useShortenSeries() {
  const { t } = useTranslation();
  const client = useQueryClient();
  const { mutateAsync: extend } = useExtendSeries();
  return useMutation({
    mutationFn: ({ event: { id }, occurrence }: { event: CalendarEvent; occurrence: string }) =>
      api.delete("/api/events/{id}", { path: { id }, query: query(occurrence, "following") }),
    onSuccess: (_answer, { event: { id, title, recurrence } }) => {
      client.removeQueries({ queryKey: eventQuery(id).queryKey });
      for (const queryKey of queryKeysOf("event")) void client.invalidateQueries({ queryKey });
      toast.success(t("ui.events.deletedFollowing", { title }), {
        label: t("ui.action.undo"),
        run: () => extend({ id, recurrence }),
        undone: t("ui.bin.restored", { title }),
      });
    },
  });
}
