import { fold } from "./fold";

export interface Piece {
  text: string;
  /** Whether the query matches this piece. */
  hit: boolean;
}

interface Folded {
  letters: string[];
  text: string;
  /** For each letter of the folded text, the index of its original letter. */
  origin: number[];
}

/** Folds a text and records the origin of each letter. */
function foldWithOrigin(text: string): Folded {
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

function indexOfWord(text: string, word: string): number {
  let first = -1;
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
    if (startsWord(text, at)) return at;
    if (first < 0) first = at;
  }
  return first;
}

/** Finds a number whose digits are written with other separators, such as a telephone number. */
function findDigits(text: string, word: string): number[] {
  if (!/^[+\d()./-]{3,}$/.test(word)) return [];
  const places = Array.from(text.matchAll(/\d/g), ({ index }) => index);
  const digits = word.replace(/\D/g, "");
  const at = digits
    ? places
        .map((place) => text[place])
        .join("")
        .indexOf(digits)
    : -1;
  const found = at < 0 ? [] : places.slice(at, at + digits.length);
  return /\p{L}/u.test(text.slice(found[0], found.at(-1))) ? [] : found;
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

/** Splits a text into pieces and marks the matches of each query word, preferably at the beginning of a word. */
export function markMatches(text: string, query: string): Piece[] {
  const whole = foldWithOrigin(text);
  const hits = new Set<number>();
  for (const word of words(query)) {
    const at = indexOfWord(whole.text, word);
    const letters = at < 0 ? findDigits(whole.text, word) : Array.from(word, (_, index) => at + index);
    for (const letter of letters) hits.add(whole.origin[letter] ?? -1);
  }
  return pieces(whole, hits);
}

/** Finds the letters of a word in order, starting at the beginning of a word, with limited gaps. */
function findScattered(text: string, word: string): number[] | undefined {
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
  /** Higher is better. */
  score: number;
  pieces: Piece[];
}

/**
 * Rates how well a query matches a text. Every query word must be found: at the beginning of a word, inside one, or
 * with letters left out. Accents and case do not matter. `also` holds additional words to match.
 */
export function match(text: string, query: string, also = ""): Match | undefined {
  const whole = foldWithOrigin(text);
  const further = fold(also);
  const hits = new Set<number>();
  let score = 0;
  for (const word of words(query)) {
    const at = indexOfWord(whole.text, word);
    const spread = at >= 0 ? Array.from(word, (_, index) => at + index) : word.length > 1 ? findScattered(whole.text, word) : undefined;
    if (at >= 0) score += startsWord(whole.text, at) ? 100 - Math.min(at, 40) : 40;
    else if (further && indexOfWord(further, word) >= 0) {
      score += startsWord(further, indexOfWord(further, word)) ? 50 : 0;
      continue;
    } else if (spread) score += 20;
    else return undefined;
    for (const found of spread ?? []) hits.add(whole.origin[found] ?? -1);
  }
  // Of two equal matches, the shorter text wins.
  return { score: score - Math.min(whole.text.length, 90) / 10, pieces: pieces(whole, hits) };
}
