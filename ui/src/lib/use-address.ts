import { useEffect, useEffectEvent, useRef, useState } from "react";
import { type NavigateOptions, useSearchParams } from "react-router";
import { type Parsers, readSearchParams } from "./search-params";
import { useDebounced } from "./use-debounced";

/** Query parameters; undefined, "" and [] remove one, and [""] keeps one without a value. */
export type QueryValues = Record<string, string | readonly string[] | undefined>;
/** A change of the query: values, or what makes them from the latest query. */
export type QueryChange = QueryValues | ((query: URLSearchParams) => QueryValues);

/** A change replaces the history entry, so that "back" leaves the screen. */
export const inPlace: NavigateOptions = { replace: true, preventScrollReset: true };
/** A change adds a history entry, so that "back" takes it back. */
export const asStep: NavigateOptions = { preventScrollReset: true };

/** Sets parameters of a query. */
export function putValues(query: URLSearchParams, change: QueryChange) {
  for (const [name, value] of Object.entries(typeof change === "function" ? change(query) : change)) {
    query.delete(name);
    const all = typeof value === "string" ? [value].filter(Boolean) : (value ?? []);
    for (const one of all) query.append(name, one);
  }
}

/** Returns the query of the address, which holds a screen's filters, and the values of the parameters that have a parser. */
export function useAddressQuery<P extends Parsers>(parsers: P) {
  const [search, setSearch] = useSearchParams();
  // The router shows a new address with a delay, so changes build on the latest one that was set.
  const latest = useRef(search);
  useEffect(() => {
    latest.current = search;
  }, [search]);
  const change = (edit: (next: URLSearchParams) => void, options = inPlace) => {
    const next = new URLSearchParams(latest.current);
    edit(next);
    latest.current = next;
    setSearch(next, options);
  };
  return {
    search,
    values: readSearchParams(search, parsers),
    change,
    set: (values: QueryChange, options?: NavigateOptions) => change((next) => putValues(next, values), options),
  };
}

/** Milliseconds without a key press before a list is searched. */
const typingPauseMs = 300;

const isNotEmpty = (text: string) => text !== "";

/**
 * Manages the text of a list's search field; it becomes the query's `q` when typing pauses, and follows it otherwise. A
 * text that is not `searchable` is not searched.
 */
export function useSearchText(q: string | undefined, set: (values: { q: string | undefined }) => void, searchable = isNotEmpty) {
  const [text, setText] = useState(q ?? "");
  const pausedText = useDebounced(text.trim(), typingPauseMs);
  const lastSearch = useRef(q ?? "");
  /** What this field made of `q`, and the address does not show yet. */
  const sent = useRef<string[]>([]);
  useEffect(() => {
    const at = sent.current.indexOf(q ?? "");
    sent.current.splice(0, at === -1 ? sent.current.length : at + 1);
    if (at !== -1 || lastSearch.current === (q ?? "")) return;
    lastSearch.current = q ?? "";
    setText(q ?? "");
  }, [q]);
  const search = useEffectEvent((typed: string) => {
    const words = searchable(typed) ? typed : "";
    if (words === lastSearch.current) return;
    lastSearch.current = words;
    sent.current.push(words);
    set({ q: words || undefined });
  });
  useEffect(() => search(pausedText), [pausedText]);
  return {
    text,
    setText,
    /** Whether typing paused at a text that is not searched. */
    isTooShort: pausedText !== "" && pausedText === text.trim() && !searchable(pausedText),
    /** Empties the field; the caller removes `q` from the query. */
    clear: () => {
      setText("");
      lastSearch.current = "";
    },
  };
}
