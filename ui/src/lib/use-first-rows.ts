import { useDeferredValue } from "react";
import { useNavigationType } from "react-router";

/** The minimum height of a row, in pixels. */
const minRowHeight = 40;

/**
 * Returns the rows that fill the window at once, and the others right after, so that a long list does not delay its
 * screen. On return to a page all rows come at once, because its scroll position may be far down.
 */
export function useFirstRows<T>(rows: T[]): T[] {
  const back = useNavigationType() === "POP";
  const all = useDeferredValue(true, back);
  return all ? rows : rows.slice(0, Math.ceil(innerHeight / minRowHeight));
}
