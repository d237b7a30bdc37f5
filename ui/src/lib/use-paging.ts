import { useLocation } from "react-router";
import { putValues, type QueryValues, useAddressQuery } from "./use-address";

interface Trail {
  /** The cursors of the pages before this one; the first page has none. */
  trail?: string[];
}

/**
 * Keeps the filters, sort and page of a list in the address. The server pages forward by cursor; the cursors of earlier
 * pages are in the history entry, so that the way back survives a reload.
 */
export function usePaging(size: number) {
  const { search, change } = useAddressQuery();
  const { state } = useLocation();
  const trail = (state as Trail | null)?.trail ?? [];
  const cursor = search.get("cursor") ?? undefined;

  /** Sets filters and returns to the first page; undefined and "" remove one. */
  const set = (values: QueryValues) => change((next) => putValues(next, { cursor: undefined, page: undefined, ...values }));
  const page = Math.max(1, Number(search.get("page")) || 1);
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
    get: (name: string) => search.get(name) ?? undefined,
    set,
    cursor,
    from: cursor ? (page - 1) * size + 1 : 1,
    search: search.size > 0 ? `?${search}` : "",
    next: (following: string) => go(following, page + 1, cursor ? [...trail, cursor] : []),
    previous: cursor ? () => go(trail.at(-1), page - 1, trail.slice(0, -1)) : undefined,
  };
}
