import { useDeferredValue } from "react";
import { useNavigationType } from "react-router";

/** The least height of a row, in pixels. */
const least = 40;

/**
 * A list's rows: those that fill the window at once, the others right after, so that a long list does not
 * keep its screen from showing. Who comes back gets all at once: the place they left may be far down.
 */
export function useFirstRows<T>(rows: T[]): T[] {
  const back = useNavigationType() === "POP";
  const all = useDeferredValue(true, back);
  return all ? rows : rows.slice(0, Math.ceil(innerHeight / least));
}
