import { expect, it } from "vitest";
import { message } from "@/test/chat";
import { firstNew, readersOf } from "./unread";

const messages = [message("1"), message("2", { isMine: true }), message("3"), message("4"), message("5", { isMine: true })];

it("finds the first unread message by the read mark, else by the unread count", () => {
  expect(firstNew({ messages, more: false }, { mark: "2", unread: 2 })).toBe("3");
  expect(firstNew({ messages, more: false }, { mark: undefined, unread: 2 })).toBe("3");
  expect(firstNew({ messages, more: false }, { mark: "5", unread: 0 })).toBeUndefined();
  expect(firstNew({ messages, more: false }, { mark: undefined, unread: 9 })).toBe("1");
});

it("finds no first unread message when it is not loaded", () => {
  expect(firstNew({ messages, more: true }, { mark: "0", unread: 60 })).toBeUndefined();
  expect(firstNew({ messages, more: true }, { mark: undefined, unread: 60 })).toBeUndefined();
});

it("shows the reader under the last own message that they have read", () => {
  const of = (messageId: string) => [...readersOf(messages, [{ memberId: "m", messageId }], { me: "u1", isGroup: false })];
  expect(of("4")).toEqual([["2", "m"]]);
  expect(of("5")).toEqual([["5", "m"]]);
  expect(of("1")).toEqual([]);
});

it("shows how far each group member has read, except authors on their own messages", () => {
  const marks = [
    { memberId: "m", messageId: "4" },
    { memberId: "a", messageId: "5" },
    { memberId: "b", messageId: "5" },
    { memberId: "u1", messageId: "5" },
  ];
  expect([...readersOf(messages, marks, { me: "u1", isGroup: true })]).toEqual([["5", "a b"]]);
});
