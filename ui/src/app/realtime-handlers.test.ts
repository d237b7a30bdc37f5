import { QueryClient, QueryObserver } from "@tanstack/react-query";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { Notice, ServerFrame } from "@/api/schema";
import { accept, useSession } from "@/api/session";
import { noticePartsQuery, noticesQuery, unreadQuery } from "@/features/notices/data";
import { changerOf, removerOf, useEditors } from "@/records/editors";
import { usePresence } from "@/shell/presence";
import { mira, signedIn } from "@/test/people";
import { standInServer } from "@/test/server";
import { fakeSockets, taskChanged } from "@/test/socket";
import { startRealtime } from "./realtime-handlers";

const server = standInServer();
const sockets = fakeSockets();
let client: QueryClient;
let stop: () => void;

const notice = (id: string, time: string, change: Partial<Notice> = {}): Notice => ({
  id,
  time: `2026-11-21T${time}:00.000Z`,
  read: false,
  seen: false,
  title: id,
  useRouter: false,
  ...change,
});
const list = () => client.getQueryData(noticesQuery("messages").queryKey)?.map(({ id, read }) => (read ? `${id} read` : id));
const unread = () => client.getQueryData(unreadQuery("messages").queryKey);
const says = (...frames: ServerFrame[]) => sockets.last().says(...frames);
const later = (milliseconds: number) => vi.advanceTimersByTimeAsync(milliseconds);
const came = (id: number, item: Notice, count: number): ServerFrame => ({ type: "message.created", id, data: { item, unread: count } });
const changed = (id: number, item: Notice, count: number): ServerFrame => ({ type: "message.updated", id, data: { item, unread: count } });

/** Shows a query and counts its requests. */
function show(queryKey: unknown[]) {
  const ask = vi.fn(async () => ({ asked: true }));
  const hide = new QueryObserver(client, { queryKey, queryFn: ask, staleTime: Number.POSITIVE_INFINITY }).subscribe(() => undefined);
  return { ask, hide };
}

beforeEach(async () => {
  vi.useFakeTimers();
  accept(signedIn(86_400));
  server.on("POST /api/auth/socket-ticket", () => ({ ticket: "abc" }));
  server.on("GET /api/common/user", () => mira);
  server.on("GET /api/global/version", () => ({ front: "1", company: {} }));
  client = new QueryClient();
  client.setQueryData(noticesQuery("messages").queryKey, [notice("b", "11:00"), notice("a", "09:00")]);
  client.setQueryData(unreadQuery("messages").queryKey, 2);
  stop = startRealtime(client, "u1", 7);
  await later(1);
  sockets.last().greets(7);
});
afterEach(() => {
  stop();
  client.clear();
  vi.useRealTimers();
  useSession.setState({ state: "guest", user: undefined });
  usePresence.setState({ known: false, members: {} });
});

it("inserts, updates and removes items in order, with the server's unread count", () => {
  says(came(8, notice("c", "12:00"), 3));
  expect([list(), unread()]).toEqual([["c", "b", "a"], 3]);
  says(came(9, notice("between", "10:00"), 4));
  expect(list()).toEqual(["c", "b", "between", "a"]);
  says(changed(10, notice("b", "11:00", { read: true }), 3));
  expect([list(), unread()]).toEqual([["c", "b read", "between", "a"], 3]);
  says({ type: "message.removed", id: 11, data: { itemId: "c", unread: 2 } });
  expect([list(), unread()]).toEqual([["b read", "between", "a"], 2]);
  expect(server.calls.filter(({ path }) => path.startsWith("/api/common/messages"))).toEqual([]);
});

it("updates paged lists too, where a read item leaves the unread list", () => {
  const key = (only: boolean) => noticePartsQuery("messages", { unread: only, q: "" }).queryKey;
  const parts = () => ({
    pages: [
      { items: [notice("b", "11:00")], more: true },
      { items: [notice("a", "09:00")], more: false },
    ],
    pageParams: [undefined, "b"],
  });
  const ids = (only: boolean) => client.getQueryData(key(only))?.pages.flatMap(({ items }) => items.map(({ id }) => id));
  client.setQueryData(key(false), parts());
  client.setQueryData(key(true), parts());
  says(came(8, notice("c", "10:00"), 3), changed(9, notice("b", "11:00", { read: true }), 2));
  expect(ids(false)).toEqual(["b", "c", "a"]);
  expect(ids(true)).toEqual(["c", "a"]);
  // The last loaded item stays, although the list has more.
  client.setQueryData(key(false), {
    pages: [{ items: [notice("c", "12:00"), notice("b", "11:00")], more: true }],
    pageParams: [undefined],
  });
  says(changed(10, notice("b", "11:00", { read: true }), 2));
  expect(ids(false)).toEqual(["c", "b"]);
});

it("applies an item's update after the member's own pending change", async () => {
  let finish: (value: unknown) => void = () => undefined;
  const own = client
    .getMutationCache()
    .build(client, { mutationKey: ["notices", "messages"], mutationFn: () => new Promise((done) => (finish = done)) });
  void own.execute(undefined);
  await later(1);
  says(changed(8, notice("a", "09:00", { read: true }), 1));
  expect(unread()).toBe(2);
  finish(undefined);
  await later(1);
  expect([list(), unread()]).toEqual([["b", "a read"], 1]);
});

it("refetches affected queries on screen at once, then at most every 250 ms, and marks hidden ones stale", async () => {
  const tasks = show(["tasks", "list", {}]);
  const one = show(["tasks", "one", "t"]);
  const other = show(["tasks", "one", "other"]);
  const customers = show(["customers", "list", {}]);
  client.setQueryData(["tasks", "list", { hidden: true }], {});
  await later(300);
  const calls = () => [tasks, one, other, customers].map(({ ask }) => ask.mock.calls.length);
  expect(calls()).toEqual([1, 1, 1, 1]);
  says(taskChanged(8));
  await later(1);
  expect(calls()).toEqual([2, 2, 1, 1]);
  for (let id = 9; id < 20; id += 1) says(taskChanged(id));
  await later(240);
  expect(calls()).toEqual([2, 2, 1, 1]);
  await later(20);
  expect(calls()).toEqual([3, 3, 1, 1]);
  expect(client.getQueryState(["tasks", "list", { hidden: true }])?.isInvalidated).toBe(true);
  for (const { hide } of [tasks, one, other, customers]) hide();
});

it("refetches everything on the screen after a resync frame", async () => {
  const customers = show(["customers", "list", {}]);
  await later(1);
  says({ type: "resync", id: 900, data: {} });
  await later(1);
  expect(customers.ask).toHaveBeenCalledTimes(2);
  expect(server.sent("GET /api/common/user")).toHaveLength(1);
  customers.hide();
});

it("stores presence, the editors of a record and its last changer", () => {
  says({ type: "presence.all", id: 7, data: { members: [{ memberId: "a", status: "busy" }] } });
  says({ type: "presence", id: 7, data: { memberId: "b", status: "online" } });
  expect(usePresence.getState()).toEqual({ known: true, members: { a: "busy", b: "online" } });
  says({ type: "record.editors", id: 7, data: { kind: "task", recordId: "t", memberIds: ["a", "u1"] } });
  expect(useEditors.getState()["task t"]).toEqual(["a", "u1"]);
  const frame = taskChanged(8) as Extract<ServerFrame, { type: "record.changed" }>;
  says({ ...frame, data: { ...frame.data, memberId: "a" } });
  expect(changerOf({ kind: "task", recordId: "t" })).toBe("a");
});

// The kind of fault: a record that was there a moment ago is said not to exist, although the frame says who deleted it.
it("keeps who moved a record to the bin, apart from who changed it", async () => {
  const frame = taskChanged(8) as Extract<ServerFrame, { type: "record.changed" }>;
  const record = { kind: frame.data.kind, recordId: "gone" };
  says({ ...frame, data: { ...frame.data, recordId: "gone", op: "removed", memberId: "u7" } });
  await later(1);
  expect([removerOf(record), changerOf(record)]).toEqual(["u7", undefined]);
});
