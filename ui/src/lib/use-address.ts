import { useEffect, useRef, useState } from "react";
import { type NavigateOptions, useSearchParams } from "react-router";
import { useDebounced } from "./use-debounced";

/** Values for the query; undefined and "" take one away. */
export type QueryValues = Record<string, string | undefined>;

/** Puts values into a query. */
export function putValues(query: URLSearchParams, values: QueryValues) {
  for (const [name, value] of Object.entries(values)) {
    if (value) query.set(name, value);
    else query.delete(name);
  }
}

/** The query of the address, in which a screen keeps its filters. */
export function useAddressQuery() {
  const [search, setSearch] = useSearchParams();
  // The router shows a new address a moment after it was set: what is set next builds on what was set before.
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
    change,
    set: (values: QueryValues) => change((next) => putValues(next, values)),
  };
}

/** Milliseconds without a key before a list is searched. */
const rest = 300;

/** The text of a list's search field, which becomes the query's `q` once typing rests. */
export function useSearchText(q: string | undefined, set: (values: QueryValues) => void) {
  const [text, setText] = useState(q ?? "");
  const rested = useDebounced(text.trim(), rest);
  const sought = useRef(q ?? "");
  useEffect(() => {
    if (rested === sought.current) return;
    sought.current = rested;
    set({ q: rested || undefined });
  });
  return {
    text,
    setText,
    /** Empties the field; whoever does it takes `q` out of the query. */
    clear: () => {
      setText("");
      sought.current = "";
    },
  };
}
