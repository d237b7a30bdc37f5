import { useEffect } from "react";
import { create } from "zustand";

/** The records on the screen that this member is deleting or has deleted. */
const useRemoved = create<Record<string, true>>(() => ({}));

export const markRemoved = (id: string) => useRemoved.setState({ [id]: true });

export const unmarkRemoved = (id: string) => useRemoved.setState(({ [id]: _removed, ...others }) => others, true);

/** Whether this member is deleting a record that is shown: neither it nor its parts are loaded again. */
export function useIsRemoved(id: string): boolean {
  useEffect(() => () => unmarkRemoved(id), [id]);
  return useRemoved((removed) => removed[id]) ?? false;
}
