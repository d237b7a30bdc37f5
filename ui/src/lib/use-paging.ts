import { type NavigateOptions, useLocation } from "react-router";
import { listCursor, type Parsers, pageNumber } from "./search-params";
import { putValues, type QueryChange, useAddressQuery } from "./use-address";

interface Trail {
  /** The cursors of the pages before this one; the first page has none. */
  trail?: string[];
}

const position = { cursor: listCursor, page: pageNumber };

/**
 * Keeps the filters, sort and page of a list in the address. The server pages forward by cursor; the cursors of earlier
 * pages are in the history entry, so that the way back survives a reload.
 */
export function usePaging<P extends Parsers>(size: number, parsers: P) {
  const { search, values, change } = useAddressQuery({ ...parsers, ...position });
  const { state } = useLocation();
  const trail = (state as Trail | null)?.trail ?? [];
  const { cursor, page = 1 } = values;

  /** Sets filters and returns to the first page; undefined and "" remove one. */
  const set = (changes: QueryChange, options?: NavigateOptions) =>
    change((next) => {
      putValues(next, { cursor: undefined, page: undefined });
      putValues(next, changes);
    }, options);
  const go = (to: string | undefined, number: number, behind: string[]) =>
    change(
      (next) => {
        if (to) {
          next.set("cursor", to);
          next.set("page", String(number));
        } else for (const name of ["cursor", "page"]) next.delete(name);
      },
      { state: { trail: behind } satisfies Trail },
    );
  return {
    filters: values,
    query: search,
    set,
    cursor,
    from: cursor ? (page - 1) * size + 1 : 1,
    search: search.size > 0 ? `?${search}` : "",
    next: (following: string) => go(following, page + 1, cursor ? [...trail, cursor] : []),
    previous: cursor ? () => go(trail.at(-1), page - 1, trail.slice(0, -1)) : undefined,
  };
}
