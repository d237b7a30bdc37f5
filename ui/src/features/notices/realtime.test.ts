import { QueryClient } from "@tanstack/react-query";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { Notice } from "@/api/schema";
import { listenForArrivals } from "./arrivals";
import { noticesQuery, unreadQuery } from "./data";
import { noticeHandlers } from "./realtime";

const notice = (id: string, minute: number, more: Partial<Notice> = {}): Notice => ({
  id,
  read: false,
  seen: false,
  useRouter: true,
  title: id,
  time: `2026-11-21T10:${String(minute).padStart(2, "0")}:00Z`,
  ...more,
});
const client = new QueryClient();
const { queryKey } = noticesQuery("notifications");
const ids = () => client.getQueryData(queryKey)?.map(({ id }) => id);
const arrived = vi.fn();
let stop: () => void;

beforeEach(() => {
  client.setQueryData(queryKey, [notice("b", 2), notice("a", 1)]);
  arrived.mockClear();
  stop = listenForArrivals(arrived);
});
afterEach(() => stop());

it("adds a new item at the top with the server's unread count, and announces it", () => {
  const item = notice("c", 3);
  noticeHandlers["notification.created"]?.({ item, unread: 7 }, client);
  expect(ids()).toEqual(["c", "b", "a"]);
  expect(client.getQueryData(unreadQuery("notifications").queryKey)).toBe(7);
  expect(arrived).toHaveBeenCalledExactlyOnceWith("notifications", item);
});

it("moves a renewed item to the top and announces it again, and leaves other changes in place", () => {
  noticeHandlers["notification.updated"]?.({ item: notice("a", 5, { count: 3 }), unread: 2 }, client);
  expect(ids()).toEqual(["a", "b"]);
  expect(arrived).toHaveBeenCalledOnce();
  noticeHandlers["notification.updated"]?.({ item: notice("b", 2, { read: true }), unread: 1 }, client);
  noticeHandlers["notification.updated"]?.({ item: notice("b", 2), unread: 2 }, client);
  expect(ids()).toEqual(["a", "b"]);
  expect(arrived).toHaveBeenCalledOnce();
});
