import { expect, it } from "vitest";
import { insertName, mentionTriggerAt, namesInText } from "./mention-trigger";

it.each([
  ["@", { sign: "@", query: "", start: 0 }],
  ["Hello @Ana Ló", { sign: "@", query: "Ana Ló", start: 6 }],
  ["see #quarterly fore", { sign: "#", query: "quarterly fore", start: 4 }],
  ["(@be", { sign: "@", query: "be", start: 1 }],
])("recognizes the name being typed in %s", (text, expected) => {
  expect(mentionTriggerAt(text, text.length)).toEqual(expected);
});

it.each(["ana@example.com", "page/#part", "@ alone", "@one\ntwo", "@a b c d e", "no sign"])("finds no name in %s", (text) => {
  expect(mentionTriggerAt(text, text.length)).toBeUndefined();
});

it("replaces the typed part with the whole name and one space", () => {
  const text = "Ask @an about it";
  const naming = mentionTriggerAt(text, 7);
  if (!naming) throw new Error("There is a name");
  expect(insertName(text, naming, 7, "@Ana López")).toEqual({ text: "Ask @Ana López about it", caret: 15 });
  expect(insertName("@b", { sign: "@", query: "b", start: 0 }, 2, "@Ben")).toEqual({ text: "@Ben ", caret: 5 });
});

it("keeps only names that are still in the text, each once", () => {
  const ana = { text: "@Ana López", id: "a" };
  const ben = { text: "@Ben", id: "b" };
  expect(namesInText("Hello @Ana López", [ana, ben, ana], ({ id }) => id)).toEqual([ana]);
});
