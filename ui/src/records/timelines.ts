import type { InfiniteData, QueryClient } from "@tanstack/react-query";
import { api } from "@/api/client";
import type { Activity, Comment, NewActivity, NewComment, RecordKind, Timeline, TimelineEntry } from "@/api/schema";
import { queryKeysOf, recordKinds } from "./kinds";

/** The kinds of records that have comments, files and a timeline. */
export type TimelineKind = Exclude<RecordKind, "member">;

/** A record with such parts. */
export interface TimelineOf {
  kind: TimelineKind;
  id: string;
}

/** Returns the parameters of the path of the calls for the parts of a record. */
export const timelinePath = ({ kind, id }: TimelineOf) => ({ kind: recordKinds[kind].name, id });

export const timelineKey = ({ id }: TimelineOf) => ["timeline", id];

/** Changes the entries of a record's timeline that hold comments, page by page. */
export const changeComments = (
  client: QueryClient,
  record: TimelineOf,
  change: (items: TimelineEntry[], page: number) => TimelineEntry[],
) =>
  client.setQueriesData<InfiniteData<Timeline, string | undefined>>(
    { queryKey: timelineKey(record), predicate: ({ queryKey }) => queryKey[2] === "all" || queryKey[2] === "comments" },
    (known) => known && { ...known, pages: known.pages.map((page, at) => ({ ...page, items: change(page.items, at) })) },
  );

/** Adds a comment to a record, once per key, and shows it. */
export async function postComment(client: QueryClient, record: TimelineOf, input: NewComment, key: string): Promise<Comment> {
  const options = { path: timelinePath(record), header: { "Idempotency-Key": key } };
  const comment = await api.post("/api/{kind}/{id}/comments", input, options);
  const { id, createdAt: at, createdBy: by } = comment;
  changeComments(client, record, (items, page) => {
    if (page > 0 || items.some((one) => one.id === id)) return items;
    return [{ id, at, event: "commented", changes: [], records: [], comment, ...(by && { by }) }, ...items];
  });
  return comment;
}

/** Reads the timelines and records again that an activity concerns. */
export function refreshActivity(client: QueryClient, { links }: Pick<Activity, "links">, hasTask = false) {
  const keys = [...links.flatMap(({ kind }) => queryKeysOf(kind)), ...(hasTask ? queryKeysOf("task") : []), ["timeline"]];
  const families = new Map(keys.map((queryKey) => [JSON.stringify(queryKey), queryKey]));
  for (const queryKey of families.values()) void client.invalidateQueries({ queryKey });
}

/** Logs an activity, once per key, and shows it. */
export async function postActivity(client: QueryClient, input: NewActivity, key: string): Promise<Activity> {
  const activity = await api.post("/api/activities", input, { header: { "Idempotency-Key": key } });
  refreshActivity(client, activity, activity.nextTaskId !== undefined);
  return activity;
}
