import { QueryClient } from "@tanstack/react-query";
import { beforeEach, expect, test } from "vitest";
import { accept } from "@/api/session";
import { signedIn } from "@/test/people";
import { standInServer } from "@/test/server";
import { cardOf, matchesQuery, titleQuery } from "./record-titles";

const server = standInServer();
const client = new QueryClient();

beforeEach(() => {
  client.clear();
  accept(signedIn());
});

test("a record is named by its name or title, whatever else it has", () => {
  expect(cardOf({ name: "Ana", title: "Buyer", avatar: "/a.png", details: { company: "Reed" } })).toEqual({
    title: "Ana",
    subtitle: "Reed",
    avatar: "/a.png",
  });
  expect(cardOf({ title: "Call Ana" })).toEqual({ title: "Call Ana", subtitle: undefined, avatar: undefined });
  expect(cardOf({ name: "Renewal" })).toEqual({ title: "Renewal", subtitle: undefined, avatar: undefined });
});

test("events are found as records, and sections are no tasks", async () => {
  server.on("GET /api/events/records", () => ({ items: [{ id: "e1", title: "Review" }], total: 1 }));
  server.on("GET /api/tasks", () => ({
    items: [
      { id: "s1", title: "Later", type: "section" },
      { id: "t1", title: "Call Ana", type: "task" },
    ],
    total: 2,
  }));
  server.on("GET /api/tasks/t1", () => ({ id: "t1", title: "Call Ana" }));
  expect((await client.fetchQuery(matchesQuery("event", "rev"))).map(({ title }) => title)).toEqual(["Review"]);
  expect(server.sent("GET /api/events/records")[0]?.query.toString()).toBe("q=rev&limit=20");
  expect((await client.fetchQuery(matchesQuery("task", ""))).map(({ id }) => id)).toEqual(["t1"]);
  expect(await client.fetchQuery(titleQuery("task", "t1"))).toBe("Call Ana");
});
