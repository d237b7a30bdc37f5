// The kind of fault: half-typed text is lost with the tab. What a field sends is kept in this browser until it is sent.
import { act, renderHook } from "@testing-library/react";
import { beforeEach, expect, test } from "vitest";
import { hasUnsentWork, mostTyped, readTyped, removeUnsentWork, useTextDraft, writeDraft, writeTyped } from "./drafts";

beforeEach(() => {
  localStorage.clear();
  sessionStorage.clear();
});

test("typed texts outlive the tab, belong to their member and record, and go with a sign-out", () => {
  const texts = { "comment.c1": { text: "Llamé a Íñigo" }, "chat.h1": { text: "Half a thought" }, "activity.d1": { type: "visit" } };
  for (const [name, value] of Object.entries(texts)) writeTyped("u1", name, value);
  sessionStorage.clear();
  for (const [name, value] of Object.entries(texts)) expect(readTyped("u1", name)).toEqual(value);
  expect(readTyped("u1", "comment.c2")).toBeUndefined();
  expect(readTyped("u2", "comment.c1")).toBeUndefined();
  expect([hasUnsentWork("u1"), hasUnsentWork("u12")]).toEqual([true, false]);
  removeUnsentWork("u1");
  expect(localStorage).toHaveLength(0);
});

test("a text of a quick entry outlives the tab, and an empty one is not kept", () => {
  const { result, unmount } = renderHook(() => useTextDraft("u1", "task-line"));
  act(() => result.current[1]("Call A"));
  unmount();
  sessionStorage.clear();
  const again = renderHook(() => useTextDraft("u1", "task-line"));
  expect(again.result.current[0]).toBe("Call A");
  act(() => again.result.current[1](""));
  expect(hasUnsentWork("u1")).toBe(false);
});

test("a text that an earlier version kept in the tab is read once more", () => {
  writeDraft("u1", "chat.h1", "Half");
  expect(readTyped("u1", "chat.h1")).toBe("Half");
  writeTyped("u1", "chat.h1", undefined);
  expect(readTyped("u1", "chat.h1")).toBeUndefined();
});

test("the newest texts of a member are kept, and those of others stay", () => {
  writeTyped("u2", "comment.c0", "Theirs");
  for (let number = 0; number < mostTyped + 5; number += 1) {
    localStorage.setItem(`atrium.typed.u1.comment.c${number}`, JSON.stringify({ at: number, value: number }));
  }
  writeTyped("u1", "comment.new", "New");
  expect(Object.keys(localStorage).filter((key) => key.startsWith("atrium.typed.u1."))).toHaveLength(mostTyped);
  expect([readTyped("u1", "comment.c0"), readTyped("u1", "comment.c54"), readTyped("u1", "comment.new")]).toEqual([undefined, 54, "New"]);
  expect(readTyped("u2", "comment.c0")).toBe("Theirs");
});

test("what cannot be read is no text, and no obstacle to others", () => {
  localStorage.setItem("atrium.typed.u1.chat.h1", "{");
  expect(readTyped("u1", "chat.h1")).toBeUndefined();
  writeTyped("u1", "chat.h2", "Half");
  expect(readTyped("u1", "chat.h2")).toBe("Half");
});
