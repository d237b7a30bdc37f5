import { beforeEach, expect, test } from "vitest";
import type { Merge } from "@/api/schema";
import { accept } from "@/api/session";
import { useToasts } from "@/lib/toast";
import { undo } from "@/lib/undo";
import { signedIn } from "@/test/people";
import { Answer, standInServer } from "@/test/server";
import { followMerge, undoMerge } from "./merge-work";

const server = standInServer();
const merge = (id: string): Merge => ({
  id,
  kind: "customer",
  keptId: "c1",
  duplicateId: `d-${id}`,
  keptTitle: "Ana",
  duplicateTitle: "Anna",
  state: "done",
  moved: 0,
  left: 0,
  leftFields: [],
  createdAt: "2026-11-01T10:00:00Z",
});
const offers = () => useToasts.getState().toasts.filter(({ action }) => action);

beforeEach(() => {
  undo.clear();
  useToasts.setState({ toasts: [] });
  accept(signedIn());
});

test("only the last merge is offered to be undone", async () => {
  await followMerge(merge("m1"), "Ana");
  await followMerge(merge("m2"), "Ben");
  expect(offers().map(({ text }) => text)).toEqual(["Merged. “Ben” is kept."]);
});

test("a merge that is undone elsewhere on the screen is not offered any more", async () => {
  server.on("POST /api/merges/m1/undo", () => new Answer(200, { ...merge("m1"), state: "undone" }));
  await followMerge(merge("m1"), "Ana");
  expect(offers()).toHaveLength(1);
  await undoMerge(merge("m1"));
  expect(offers()).toHaveLength(0);
  // Nor by Ctrl+Z.
  expect(undo.runLast()).toBe(false);
});
