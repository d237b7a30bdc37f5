import type { InfiniteData, QueryClient } from "@tanstack/react-query";
import type { FrameHandlers } from "@/api/frames";
import type { Notice } from "@/api/schema";
import { announceArrival } from "./arrivals";
import { type NoticeFilter, type NoticeKind, type NoticePart, noticesQuery, partsKey, unreadQuery } from "./data";

/** Items that a panel shows. */
const panelSize = 200;

/** Inserts an item into a list, newest first. */
function placed(list: Notice[], item: Notice): Notice[] {
  const others = list.filter(({ id }) => id !== item.id);
  const at = others.findIndex(({ time }) => time <= item.time);
  return at < 0 ? [...others, item] : [...others.slice(0, at), item, ...others.slice(at)];
}

const without = (list: Notice[], id: string) => list.filter((notice) => notice.id !== id);

const withoutInParts = (data: InfiniteData<NoticePart>, id: string) => ({
  ...data,
  pages: data.pages.map((part) => ({ ...part, items: without(part.items, id) })),
});

/**
 * Inserts an item into a paged list; a renewed one goes to the top. It is added after the last loaded item only if the
 * server has no more.
 */
function placedInParts(list: InfiniteData<NoticePart>, item: Notice): InfiniteData<NoticePart> {
  const isItsPlace = (one: Notice) => one.id === item.id && one.time === item.time;
  if (list.pages.some(({ items }) => items.some(isItsPlace))) {
    const pages = list.pages.map((part) => ({ ...part, items: part.items.map((one) => (isItsPlace(one) ? item : one)) }));
    return { ...list, pages };
  }
  const data = withoutInParts(list, item.id);
  const at = data.pages.findIndex(({ items, more }) => !more || items.some(({ time }) => time <= item.time));
  return { ...data, pages: data.pages.map((part, place) => (place === at ? { ...part, items: placed(part.items, item) } : part)) };
}

function put(client: QueryClient, kind: NoticeKind, item: Notice, unread: number) {
  const known = client.getQueryData(noticesQuery(kind).queryKey)?.find(({ id }) => id === item.id);
  client.setQueryData(noticesQuery(kind).queryKey, (list) => list && placed(list, item).slice(0, panelSize));
  for (const [key, data] of client.getQueriesData<InfiniteData<NoticePart>>({ queryKey: partsKey(kind) })) {
    if (!data) continue;
    const filter = key.at(-1) as NoticeFilter;
    // Only the server knows which items match a search.
    if (filter.q !== "") void client.invalidateQueries({ queryKey: key, exact: true });
    else if (filter.unread && item.read) client.setQueryData(key, withoutInParts(data, item.id));
    else client.setQueryData(key, placedInParts(data, item));
  }
  client.setQueryData(unreadQuery(kind).queryKey, unread);
  if (!item.read && (!known || item.time > known.time)) announceArrival(kind, item);
}

function take(client: QueryClient, kind: NoticeKind, id: string, unread: number) {
  client.setQueryData(noticesQuery(kind).queryKey, (list) => list && without(list, id));
  for (const [key, data] of client.getQueriesData<InfiniteData<NoticePart>>({ queryKey: partsKey(kind) })) {
    if (data) client.setQueryData(key, withoutInParts(data, id));
  }
  client.setQueryData(unreadQuery(kind).queryKey, unread);
}

/** Applies the frames of messages and notifications; the number of unread items is the server's. */
export const noticeHandlers: FrameHandlers = {
  "message.created": ({ item, unread }, client) => put(client, "messages", item, unread),
  "message.updated": ({ item, unread }, client) => put(client, "messages", item, unread),
  "message.removed": ({ itemId, unread }, client) => take(client, "messages", itemId, unread),
  "notification.created": ({ item, unread }, client) => put(client, "notifications", item, unread),
  "notification.updated": ({ item, unread }, client) => put(client, "notifications", item, unread),
  "notification.removed": ({ itemId, unread }, client) => take(client, "notifications", itemId, unread),
};
