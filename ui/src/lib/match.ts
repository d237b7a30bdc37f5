import { fold } from "./fold";

export interface Piece {
  text: string;
  /** Whether these letters were looked for. */
  hit: boolean;
}

interface Folded {
  letters: string[];
  text: string;
  /** For each letter of the folded text, the one it stands for. */
  origin: number[];
}

/** A text without accents and case, and where each of its letters came from. */
function folded(text: string): Folded {
  const letters = [...text];
  const origin: number[] = [];
  let whole = "";
  letters.forEach((letter, at) => {
    const plain = fold(letter);
    whole += plain;
    for (let count = 0; count < plain.length; count++) origin.push(at);
  });
  return { letters, text: whole, origin };
}

const words = (query: string) => fold(query).split(/\s+/).filter(Boolean);
const startsWord = (text: string, at: number) => at === 0 || !/[\p{L}\p{N}]/u.test(text[at - 1] ?? "");

function place(text: string, word: string): number {
  let first = -1;
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
    if (startsWord(text, at)) return at;
    if (first < 0) first = at;
  }
  return first;
}

function pieces({ letters }: Folded, hits: Set<number>): Piece[] {
  const found: Piece[] = [];
  letters.forEach((letter, at) => {
    const hit = hits.has(at);
    const last = found.at(-1);
    if (last && last.hit === hit) last.text += letter;
    else found.push({ text: letter, hit });
  });
  return found;
}

/** A text in pieces, telling which letters a query found: each of its words where one begins with it, else anywhere. */
export function marked(text: string, query: string): Piece[] {
  const whole = folded(text);
  const hits = new Set<number>();
  for (const word of words(query)) {
    const at = place(whole.text, word);
    for (let next = at; at >= 0 && next < at + word.length; next++) hits.add(whole.origin[next] ?? -1);
  }
  return pieces(whole, hits);
}

/** The letters of a word in their order, from the beginning of a word on, not too far from each other. */
function scattered(text: string, word: string): number[] | undefined {
  for (let start = 0; start < text.length; start++) {
    if (text[start] !== word[0] || !startsWord(text, start)) continue;
    const found = [start];
    for (let at = start + 1; at < text.length && found.length < word.length; at++) {
      if (text[at] === word[found.length]) found.push(at);
    }
    if (found.length === word.length && (found.at(-1) ?? 0) - start < word.length * 3) return found;
  }
  return undefined;
}

export interface Match {
  /** The higher, the better. */
  score: number;
  pieces: Piece[];
}

/**
 * How well what was typed fits a text: every word of it must be found, as the beginning of a word,
 * inside one, or with letters left out. Accents and case do not matter. `also` are further words by
 * which the text may be found.
 */
export function match(text: string, query: string, also = ""): Match | undefined {
  const whole = folded(text);
  const further = fold(also);
  const hits = new Set<number>();
  let score = 0;
  for (const word of words(query)) {
    const at = place(whole.text, word);
    const spread = at >= 0 ? Array.from(word, (_, index) => at + index) : word.length > 1 ? scattered(whole.text, word) : undefined;
    if (at >= 0) score += startsWord(whole.text, at) ? 100 - Math.min(at, 40) : 40;
    else if (further && place(further, word) >= 0) {
      score += startsWord(further, place(further, word)) ? 50 : 0;
      continue;
    } else if (spread) score += 20;
    else return undefined;
    for (const found of spread ?? []) hits.add(whole.origin[found] ?? -1);
  }
  // Of two that fit alike, the one that says less besides.
  return { score: score - Math.min(whole.text.length, 90) / 10, pieces: pieces(whole, hits) };
}
