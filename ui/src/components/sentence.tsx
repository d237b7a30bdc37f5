import { Fragment, type ReactNode } from "react";

const mark = "\u0001";

/** Returns a placeholder for an element in a sentence: pass it to `t` instead of the text. */
export const slot = (name: string) => `${mark}${name}${mark}`;

/** A translated sentence with elements in its placeholders. Text from members stays text, whatever it contains. */
export function Sentence({ text, slots }: { text: string; slots: Record<string, ReactNode> }) {
  return text.split(mark).map((part, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a sentence never move
    <Fragment key={at}>{at % 2 === 1 ? slots[part] : part}</Fragment>
  ));
}
