/** A name that is being typed: `@` for a colleague, `#` for a record. */
export interface MentionTrigger {
  sign: "@" | "#";
  /** The typed part of the name. */
  query: string;
  /** The index of the sign in the text. */
  start: number;
}

/** Maximum characters and words of the typed part. */
const maxLength = 40;
const maxWords = 4;

/** Returns the name that is being typed before the caret, if any. */
export function mentionTriggerAt(text: string, caret: number): MentionTrigger | undefined {
  const line = text.slice(Math.max(0, caret - maxLength - 1), caret);
  const from = caret - line.length;
  for (let at = line.length - 1; at >= 0; at -= 1) {
    const sign = line[at];
    if (sign === "\n") return undefined;
    if (sign !== "@" && sign !== "#") continue;
    const before = text[from + at - 1];
    if (before !== undefined && /[\p{L}\p{N}@#/]/u.test(before)) return undefined;
    const query = line.slice(at + 1);
    if (/^\s/.test(query) || query.split(/\s+/).length > maxWords) return undefined;
    return { sign, query, start: from + at };
  }
  return undefined;
}

/** Replaces the typed part by the whole name; returns the text and the new caret position. */
export function insertName(text: string, naming: MentionTrigger, caret: number, name: string): { text: string; caret: number } {
  const after = text.slice(caret);
  const gap = /^\s/.test(after) ? "" : " ";
  const head = text.slice(0, naming.start) + name + gap;
  return { text: head + after, caret: head.length + (gap ? 0 : 1) };
}

/** Returns the names that the text still contains, each once. */
export function namesInText<N extends { text: string }>(text: string, names: N[], id: (name: N) => string): N[] {
  const found = new Map<string, N>();
  for (const name of names) if (text.includes(name.text)) found.set(id(name), name);
  return [...found.values()];
}
