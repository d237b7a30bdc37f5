import { expect, test } from "vitest";
import { addEntry, discardEntry, useEntries } from "./outbox";

const record = { kind: "customer", id: "c1" } as const;
const on = { saved: () => undefined, refused: () => false };

// The kind of fault: an entry with the input of another kind is taken over, because a cast hides it from the compiler.
test("an entry has the input of its kind", () => {
  // @ts-expect-error: a comment has no title.
  const wrong = () => addEntry({ kind: "comment", record, input: { title: "Call" } }, on);
  expect(wrong).toBeTypeOf("function");
  const isKept = addEntry({ kind: "comment", record, input: { value: "Call", mentions: [], references: [], attachments: [] } }, on);
  expect(isKept).toBe(true);
  const { entries } = useEntries.getState();
  expect(entries).toMatchObject([{ kind: "comment", input: { value: "Call" }, state: "sending" }]);
  discardEntry(entries[0]?.id ?? "");
  expect(useEntries.getState().entries).toEqual([]);
});
