import { useEffect, useRef, useState } from "react";
import { type NavigateOptions, useSearchParams } from "react-router";
import { type Parsers, readSearchParams } from "./search-params";
import { useDebounced } from "./use-debounced";

/** Query parameters; undefined and "" remove one. */
export type QueryValues = Record<string, string | undefined>;

/** Sets parameters of a query. */
export function putValues(query: URLSearchParams, values: QueryValues) {
  for (const [name, value] of Object.entries(values)) {
    if (value) query.set(name, value);
    else query.delete(name);
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
  const change = (edit: (next: URLSearchParams) => void, options: NavigateOptions = { replace: true, preventScrollReset: true }) => {
    const next = new URLSearchParams(latest.current);
    edit(next);
    latest.current = next;
    setSearch(next, options);
  };
  return {
    search,
    values: readSearchParams(search, parsers),
    change,
    set: (values: QueryValues) => change((next) => putValues(next, values)),
  };
}

/** Milliseconds without a key press before a list is searched. */
const typingPauseMs = 300;

/** Manages the text of a list's search field; it becomes the query's `q` when typing pauses. */
export function useSearchText(q: string | undefined, set: (values: QueryValues) => void) {
  const [text, setText] = useState(q ?? "");
  const pausedText = useDebounced(text.trim(), typingPauseMs);
  const lastSearch = useRef(q ?? "");
  useEffect(() => {
    if (pausedText === lastSearch.current) return;
    lastSearch.current = pausedText;
    set({ q: pausedText || undefined });
  });
  return {
    text,
    setText,
    /** Empties the field; the caller removes `q` from the query. */
    clear: () => {
      setText("");
      lastSearch.current = "";
    },
  };
}
