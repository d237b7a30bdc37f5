import { Fragment, type ReactNode } from "react";

const mark = "\u0001";

/** A place in a sentence that an element is to take: give it to `t` in place of the text. */
export const slot = (name: string) => `${mark}${name}${mark}`;

/** A translated sentence with elements in its places. What people wrote stays text, whatever it holds. */
export function Sentence({ text, slots }: { text: string; slots: Record<string, ReactNode> }) {
  return text.split(mark).map((part, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a sentence never move
    <Fragment key={at}>{at % 2 === 1 ? slots[part] : part}</Fragment>
  ));
}
