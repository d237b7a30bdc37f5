import { expect, it } from "vitest";
import { message } from "@/test/chat";
import { firstNew, readersOf } from "./unread";

const messages = [message("1"), message("2", { isMine: true }), message("3"), message("4"), message("5", { isMine: true })];

it("finds where one stopped reading by the mark, else by the number", () => {
  expect(firstNew({ messages, more: false }, { mark: "2", unread: 2 })).toBe("3");
  expect(firstNew({ messages, more: false }, { mark: undefined, unread: 2 })).toBe("3");
  expect(firstNew({ messages, more: false }, { mark: "5", unread: 0 })).toBeUndefined();
  expect(firstNew({ messages, more: false }, { mark: undefined, unread: 9 })).toBe("1");
});

it("draws no line where what is new begins further above", () => {
  expect(firstNew({ messages, more: true }, { mark: "0", unread: 60 })).toBeUndefined();
  expect(firstNew({ messages, more: true }, { mark: undefined, unread: 60 })).toBeUndefined();
});

it("shows under the last of one's own that the other has read it", () => {
  const of = (messageId: string) => [...readersOf(messages, [{ memberId: "m", messageId }], { me: "u1", isGroup: false })];
  expect(of("4")).toEqual([["2", "m"]]);
  expect(of("5")).toEqual([["5", "m"]]);
  expect(of("1")).toEqual([]);
});

it("shows in a group how far each has read, but not the author at their own words", () => {
  const marks = [
    { memberId: "m", messageId: "4" },
    { memberId: "a", messageId: "5" },
    { memberId: "b", messageId: "5" },
    { memberId: "u1", messageId: "5" },
  ];
  expect([...readersOf(messages, marks, { me: "u1", isGroup: true })]).toEqual([["5", "a b"]]);
});
