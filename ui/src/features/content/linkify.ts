import { isSafeLink } from "@/lib/links";

/** A part of a text: plain, a link, or the name of a colleague or record. */
export interface TextPart {
  text: string;
  link?: string;
  name?: NamedSpan;
}

/** A part of a text that names a colleague or a record. */
export interface NamedSpan {
  text: string;
  kind: "mention" | "reference";
  /** Whether it names the reader. */
  isMe?: boolean;
}

const address = /(?:https?:\/\/|mailto:)[^\s<>"“”«»]+/giu;
/** Punctuation that ends a sentence rather than an address. */
const ending = /[.,;:!?…'’*_~]+$/u;

/** Removes trailing punctuation from an address, and a closing bracket without an opening one. */
function trimmed(found: string): string {
  let link = found;
  for (;;) {
    const before = link;
    link = link.replace(ending, "");
    const last = link.at(-1);
    const open = last === ")" ? "(" : last === "]" ? "[" : last === "}" ? "{" : undefined;
    if (open && last && link.split(open).length < link.split(last).length) link = link.slice(0, -1);
    if (link === before) return link;
  }
}

function named(text: string, names: NamedSpan[]): TextPart[] {
  const wanted = names.filter((name) => name.text !== "").sort((a, b) => b.text.length - a.text.length);
  if (wanted.length === 0) return text === "" ? [] : [{ text }];
  const linkify: TextPart[] = [];
  let plain = "";
  for (let at = 0; at < text.length; ) {
    const name = wanted.find((one) => text.startsWith(one.text, at));
    if (name) {
      if (plain) linkify.push({ text: plain });
      plain = "";
      linkify.push({ text: name.text, name });
      at += name.text.length;
    } else {
      plain += text[at];
      at += 1;
    }
  }
  if (plain) linkify.push({ text: plain });
  return linkify;
}

/** Splits a message's text into parts: web and e-mail addresses become links, and nothing else does. */
export function linkify(text: string, names: NamedSpan[] = []): TextPart[] {
  const found: TextPart[] = [];
  let from = 0;
  for (const match of text.matchAll(address)) {
    const before = text[match.index - 1];
    const link = trimmed(match[0]);
    if ((before && /[\p{L}\p{N}]/u.test(before)) || !/^(https?:\/\/[^/]|mailto:[^@\s]+@[^@\s]+)/i.test(link) || !isSafeLink(link)) continue;
    found.push(...named(text.slice(from, match.index), names), { text: link, link });
    from = match.index + link.length;
  }
  return [...found, ...named(text.slice(from), names)];
}
