import { useState } from "react";
import type { AnyList } from "./use-list";

interface State {
  /** What the list showed when records were selected: another list begins without a selection. */
  scope: string;
  ids: string[];
  /** Whether all records that match are selected, also those on other pages. */
  isAll: boolean;
  /** The record that was selected last, where a range begins. */
  last?: string;
}

const noIds: string[] = [];

/** The records of a list that are selected to be changed together. `page` has the records that are shown. */
export function useSelection(list: Pick<AnyList, "kind" | "request">, page: { id: string }[]) {
  const scope = JSON.stringify([list.kind, list.request.filter, list.request.q]);
  const [kept, setState] = useState<State>({ scope, ids: noIds, isAll: false });
  const state = kept.scope === scope ? kept : { scope, ids: noIds, isAll: false };
  const shown = page.map(({ id }) => id);
  const has = (id: string) => state.isAll || state.ids.includes(id);
  const set = (ids: string[], last?: string) => setState({ scope, ids, isAll: false, ...(last && { last }) });
  const known = state.isAll ? shown : state.ids;
  const selected = shown.filter(has).length;
  const change = (ids: string[], on: boolean, last?: string) =>
    set(on ? [...new Set([...known, ...ids])] : known.filter((id) => !ids.includes(id)), last);
  return {
    ids: state.ids,
    isAll: state.isAll,
    isEmpty: !state.isAll && state.ids.length === 0,
    has,
    /** Whether all records of the page are selected, some, or none. */
    page: selected === 0 ? ("none" as const) : selected === shown.length ? ("all" as const) : ("some" as const),
    /** Selects or deselects a record; as a range, with all between it and the last one. */
    toggle: (id: string, isRange: boolean) => {
      const from = isRange && state.last ? shown.indexOf(state.last) : -1;
      const to = shown.indexOf(id);
      const ids = from === -1 ? [id] : shown.slice(Math.min(from, to), Math.max(from, to) + 1);
      change(ids, !has(id), id);
    },
    togglePage: () => change(shown, selected < shown.length),
    selectAll: () => setState({ scope, ids: noIds, isAll: true }),
    clear: () => set(noIds),
  };
}

export type Selection = ReturnType<typeof useSelection>;
