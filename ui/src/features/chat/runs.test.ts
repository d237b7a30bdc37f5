import { expect, it } from "vitest";
import { merge } from "./data";
import { type Line, place } from "./runs";

const line = (key: string, createdAt: string, isMine: boolean): Line => ({ key, value: key, isMine, createdAt, state: "sent" });

it("separates days and groups what one person wrote in a row", () => {
  const placed = place([
    line("a", "2026-11-20T10:00:00", false),
    line("b", "2026-11-20T10:00:30", false),
    line("c", "2026-11-20T10:05:00", true),
    line("d", "2026-11-21T09:00:00", true),
  ]);
  expect(placed.map(({ day }) => day)).toEqual(["2026-11-20", undefined, undefined, "2026-11-21"]);
  expect(placed.map(({ last }) => last)).toEqual([false, true, true, true]);
  expect(placed.map(({ timed }) => timed)).toEqual([false, true, true, true]);
});

it("merges pages of a conversation, oldest first and each message once", () => {
  const message = (id: string, createdAt: string) => ({ id, chatId: "c", contactId: "m", value: id, createdAt, isMine: false });
  const merged = merge(
    [message("2", "2026-11-20T10:00:02Z"), message("3", "2026-11-20T10:00:03Z")],
    [message("1", "2026-11-20T10:00:01Z"), message("2", "2026-11-20T10:00:02Z")],
  );
  expect(merged.map(({ id }) => id)).toEqual(["1", "2", "3"]);
});
