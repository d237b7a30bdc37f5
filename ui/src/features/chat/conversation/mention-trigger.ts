/** A name that is being written: `@` for a colleague, `#` for a record. */
export interface MentionTrigger {
  sign: "@" | "#";
  /** What was written of it. */
  query: string;
  /** Where the sign stands. */
  start: number;
}

/** Letters that a name may have so far, and words. */
const most = 40;
const words = 4;

/** The name that the caret stands behind, if there is one. */
export function mentionTriggerAt(text: string, caret: number): MentionTrigger | undefined {
  const line = text.slice(Math.max(0, caret - most - 1), caret);
  const from = caret - line.length;
  for (let at = line.length - 1; at >= 0; at -= 1) {
    const sign = line[at];
    if (sign === "\n") return undefined;
    if (sign !== "@" && sign !== "#") continue;
    const before = text[from + at - 1];
    if (before !== undefined && /[\p{L}\p{N}@#/]/u.test(before)) return undefined;
    const query = line.slice(at + 1);
    if (/^\s/.test(query) || query.split(/\s+/).length > words) return undefined;
    return { sign, query, start: from + at };
  }
  return undefined;
}

/** The text with the whole name in place of what was written of it, and where the caret goes. */
export function insertName(text: string, naming: MentionTrigger, caret: number, name: string): { text: string; caret: number } {
  const after = text.slice(caret);
  const gap = /^\s/.test(after) ? "" : " ";
  const head = text.slice(0, naming.start) + name + gap;
  return { text: head + after, caret: head.length + (gap ? 0 : 1) };
}

/** Of what was named, what still stands in the text; each once. */
export function namesInText<N extends { text: string }>(text: string, names: N[], id: (name: N) => string): N[] {
  const found = new Map<string, N>();
  for (const name of names) if (text.includes(name.text)) found.set(id(name), name);
  return [...found.values()];
}
