import i18n from "i18next";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { request } from "@/api/request";
import type { Task, TaskPatch } from "@/api/schema";
import { useSession } from "@/api/session";
import { patched } from "@/features/tasks/data";
import { readDraft } from "@/lib/drafts";
import { mergeVersions } from "@/records/conflicts";
import { standInServer } from "@/test/server";

/** JSON that would change the prototype of all objects if it were merged without care. */
const hostile = '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}},"id":"1","title":"A"}';
const server = standInServer();
const before = Object.getOwnPropertyNames(Object.prototype);

beforeEach(() => {
  vi.stubGlobal("BroadcastChannel", undefined);
  useSession.setState({ state: "guest", user: undefined });
});
afterEach(() => {
  expect(Object.getOwnPropertyNames(Object.prototype)).toEqual(before);
  expect(({} as Record<string, unknown>).polluted).toBeUndefined();
});

it("reads a response without changing prototypes", async () => {
  server.on("GET /api/x", () => JSON.parse(hostile));
  const answer = await request<Record<string, unknown>>("GET", "/api/x");
  expect(Object.getPrototypeOf(answer)).toBe(Object.prototype);
  expect(answer.polluted).toBeUndefined();
});

it("applies a patch without changing the prototype of the record", () => {
  const task = patched({ id: "1", title: "Before" } as Task, JSON.parse(hostile) as TaskPatch);
  expect(Object.getPrototypeOf(task)).toBe(Object.prototype);
  expect((task as unknown as Record<string, unknown>).polluted).toBeUndefined();
  expect(task.title).toBe("A");
});

it("merges two versions without changing the prototype of the result", () => {
  const mine = JSON.parse(hostile) as Record<string, unknown>;
  const names = ["title", "__proto__", "constructor"];
  const result = mergeVersions<Record<string, unknown>>({ title: "Theirs" }, mine, [{ names, label: "", show: () => "" }]);
  expect(Object.getPrototypeOf(result)).toBe(Object.prototype);
  expect(result.polluted).toBeUndefined();
  expect(result.title).toBe("A");
});

it("reads a draft without changing prototypes", () => {
  sessionStorage.setItem("atrium.draft.m.task", hostile);
  const draft = { ...readDraft<Record<string, unknown>>("m", "task") };
  expect(draft.polluted).toBeUndefined();
  sessionStorage.clear();
});

it("adds a translation without changing prototypes", () => {
  i18n.addResourceBundle("xx", "translation", { a: { b: "c" } }, true, true);
  i18n.addResourceBundle("xx", "translation", JSON.parse(`{"a":${hostile}}`), true, true);
  expect(i18n.getResource("xx", "translation", "a.title")).toBe("A");
  i18n.removeResourceBundle("xx", "translation");
});
