/** Returns the value of a parameter of the address; undefined if the text is not allowed. */
type Parser<T> = (text: string) => T | undefined;
export type Parsers = Record<string, Parser<unknown>>;
export type SearchParams<P extends Parsers> = { [K in keyof P]: ReturnType<P[K]> | undefined };

/**
 * Reads parameters of the address. Links are written by hand and grow old, so a value that is not allowed counts as
 * absent.
 */
export function readSearchParams<P extends Parsers>(search: URLSearchParams, parsers: P): SearchParams<P> {
  const values = Object.entries(parsers).map(([name, parse]) => [name, parse(search.get(name) ?? "")]);
  return Object.fromEntries(values) as SearchParams<P>;
}

/** One of several values. */
export const oneOf =
  <const T extends string | number>(values: readonly T[]): Parser<T> =>
  (text) =>
    values.find((value) => String(value) === text);

/** A text; only its first `limit` characters count. */
export const textUpTo =
  (limit: number): Parser<string> =>
  (text) =>
    text.slice(0, limit) || undefined;

const matching =
  (pattern: RegExp): Parser<string> =>
  (text) =>
    pattern.test(text) ? text : undefined;

/** Maximum characters of a search text: more in an address is cut when it is read, and ignored by the server
 * (`MAX_QUERY_CHARS` of `src/index/analyse.rs`). */
export const maxSearchLength = 256;
/** The server finds nothing by one character (`MIN_QUERY_CHARS` of `src/index/analyse.rs`). */
export const minSearchLength = 2;
/** Whether the server can find records by a text: punctuation alone finds none. */
export const isSearchable = (text: string) => [...text.trim()].length >= minSearchLength && /[\p{L}\p{N}]/u.test(text);
export const searchText = textUpTo(maxSearchLength);
/** A record's id. */
export const recordId = matching(/^[\w-]{1,64}$/);
/** A place in a list, as the server returned it. */
export const listCursor = matching(/^[\w-]{1,32768}$/);
/** The start of an event's occurrence: a day or an instant. */
export const occurrenceStart = matching(/^\d{4}-\d{2}-\d{2}(T[\d:.]+(Z|[+-]\d{2}:\d{2}))?$/);
/** A day, such as 2026-12-31. */
export const calendarDay: Parser<string> = (text) =>
  /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(text)) ? text : undefined;
/** The number of a page, from 1. */
export const pageNumber: Parser<number> = (text) => (/^[1-9]\d{0,8}$/.test(text) ? Number(text) : undefined);
/** A switch, which is 1 when it is on. */
export const flag: Parser<true> = (text) => (text === "1" ? true : undefined);
