import { expect, it } from "vitest";
import { message } from "@/test/chat";
import { insertMessage, type MessageWindow, maxMessages, mergeMessages, withNewer, withOlder } from "./message-window";

const at = (place: number) =>
  message(String(place).padStart(5, "0"), { createdAt: new Date(1_760_000_000_000 + place * 1000).toISOString() });
const run = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => at(from + index));
const ids = ({ messages }: MessageWindow) => [messages[0]?.id, messages.at(-1)?.id, messages.length];

it("merges pages of a conversation, oldest first and each message once", () => {
  const merged = mergeMessages(run(2, 4), [at(1), { ...at(2), value: "changed" }]);
  expect(merged.map(({ id }) => id)).toEqual(["00001", "00002", "00003"]);
  expect(merged[1]?.value).toBe("changed");
});

it("limits the loaded messages of a long conversation in both directions", () => {
  let messageWindow: MessageWindow = { messages: run(9_950, 10_000), more: true, newer: false };
  for (let from = 9_900; from >= 9_600; from -= 50) messageWindow = withOlder(messageWindow, run(from, from + 50), true);
  expect(ids(messageWindow)).toEqual(["09600", "09899", maxMessages]);
  expect(messageWindow.newer).toBe(true);
  for (let from = 9_900; from < 10_000; from += 50) messageWindow = withNewer(messageWindow, run(from, from + 50), from < 9_950);
  expect(ids(messageWindow)).toEqual(["09700", "09999", maxMessages]);
  expect(messageWindow).toMatchObject({ more: true, newer: false });
});

it("inserts a message in order, and ignores messages outside the window", () => {
  const messageWindow: MessageWindow = { messages: run(10, 13), more: true, newer: false };
  expect(ids(insertMessage(messageWindow, at(13)))).toEqual(["00010", "00013", 4]);
  expect(insertMessage(messageWindow, { ...at(11), removed: true }).messages[1]?.removed).toBe(true);
  expect(insertMessage(messageWindow, at(3))).toBe(messageWindow);
  const middle = { ...messageWindow, newer: true };
  expect(insertMessage(middle, at(20))).toBe(middle);
  expect(insertMessage(middle, { ...at(12), value: "changed" }).messages[2]?.value).toBe("changed");
});
