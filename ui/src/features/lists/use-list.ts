import { useQuery } from "@tanstack/react-query";
import type { NavigateOptions } from "react-router";
import type { FieldValues } from "@/api/schema";
import type { RecordColumn } from "@/components/record-table";
import { fieldsQuery } from "@/features/fields/data";
import { cx } from "@/lib/cx";
import { searchText } from "@/lib/search-params";
import { asStep, type QueryChange, type QueryValues, useSearchText } from "@/lib/use-address";
import { type CreatedKind, recordKinds } from "@/records/kinds";
import { isSortable, type ListColumn } from "@/records/list/columns";
import { readFilters } from "@/records/list/conditions";
import { formatFilter, maxFilters } from "@/records/list/filters";
import { fieldColumn } from "./field-cell";

export interface ListOptions<T> {
  kind: CreatedKind;
  /** The columns of the kind; those of custom fields follow. */
  columns: ListColumn<T>[];
  /** The order unless another is chosen, as the server writes it. */
  order: string;
  /** The query of the screen's address, as `useAddressQuery` and `usePaging` return it. */
  address: { query: URLSearchParams; set: (change: QueryChange, options?: NavigateOptions) => void };
  /** Parameters of older links with one value, and the columns that they filter. */
  aliases?: Record<string, string>;
  /** The parameters of the screen's own controls. */
  controls?: string[];
}

/** What an address makes of a list. */
interface ListState {
  filters: string[];
  q: string;
  sort: string;
  /** The chosen columns in order; empty for the usual ones. */
  columns: string[];
}

const without = (parameters: string[]): QueryValues => Object.fromEntries(parameters.map((parameter) => [parameter, undefined]));

/** Manages a list's filters, order and columns, which are in the address. */
export function useList<T extends { fields: FieldValues }>({
  kind,
  columns: own,
  order,
  address,
  aliases = {},
  controls = [],
}: ListOptions<T>) {
  const { name } = recordKinds[kind];
  const { query, set } = address;
  const fields = useQuery(fieldsQuery);

  const columns = [...own, ...(fields.data ?? []).filter((field) => field.kind === name).map((field) => fieldColumn<T>(field))];
  const allowedSort = (sort: string | null | undefined) =>
    columns.some((column) => isSortable(column) && sort && [column.id, `-${column.id}`].includes(sort)) ? sort : undefined;
  const aliased = (search: URLSearchParams) =>
    Object.entries(aliases).flatMap(([parameter, column]) => {
      const value = search.get(parameter);
      return value ? [formatFilter({ column, operator: "is", values: [value] })] : [];
    });
  const filtersIn = (search: URLSearchParams): string[] => {
    if (search.has("filter")) return search.getAll("filter").filter(Boolean).slice(0, maxFilters);
    return aliased(search);
  };
  const state: ListState = {
    filters: filtersIn(query),
    q: searchText(query.get("q") ?? "") ?? "",
    sort: allowedSort(query.get("sort")) ?? order,
    columns: (query.get("columns") ?? "").split(",").filter(Boolean),
  };

  const withFilters = (filters: string[]): QueryValues => ({
    ...without(Object.keys(aliases)),
    filter: filters.length > 0 ? filters : undefined,
  });
  const { text, setText, clear: clearText } = useSearchText(state.q, set);

  const entries = readFilters(state.filters, columns);
  const chosen = state.columns.flatMap((id) => columns.find((column) => column.id === id && column.cell) ?? []);
  const shown = chosen.length > 0 ? chosen : columns.filter(({ usual }) => usual);
  const waits = (missing: { data: unknown; failureCount: number }) => missing.data === undefined && missing.failureCount === 0;
  const needsFields = JSON.stringify(state).includes("fields.") && waits(fields);

  return {
    kind,
    /** The order unless another is chosen. */
    order,
    columns,
    /** The columns that the table can show; none if the list is no table. */
    showable: own.some(({ cell }) => cell) ? columns.filter(({ cell }) => cell) : [],
    shown,
    usual: columns.filter(({ usual }) => usual).map(({ id }) => id),
    isChosen: chosen.length > 0,
    /** The columns as the table takes them. */
    tableColumns: shown.map(
      ({ id, label, cell, className, narrow, ...column }): RecordColumn<T> => ({
        id,
        label,
        cell: cell ?? (() => null),
        className: cx(className, chosen.length === 0 && narrow),
        ...(isSortable({ id, label, ...column }) && { sort: id }),
      }),
    ),
    state,
    entries,
    /** Returns the value of a column that all records of the list have by its filter, if it is one. */
    onlyValue: (column: string): string | undefined => {
      const found = entries.find(({ condition }) => condition?.column === column && condition.mode === "is")?.condition;
      return found?.values.length === 1 ? found.values[0] : undefined;
    },
    isFiltered: Boolean(state.q) || entries.length > 0,
    /** The parameters of the list's call. */
    request: {
      q: state.q || undefined,
      filter: entries.flatMap(({ condition, texts }) => (condition ? texts : [])),
      sort: state.sort,
    },
    /** Whether the parameters are known: the custom fields have been read, as far as the address needs them. */
    isKnown: !needsFields,
    search: { text, setText },
    /** Replaces filters by others in their place. */
    replaceFilters: (before: string[], after: string[], options?: NavigateOptions) =>
      set((latest) => {
        const filters = filtersIn(latest);
        const at = filters.findIndex((filter) => before.includes(filter));
        const others = filters.filter((filter) => !before.includes(filter));
        return withFilters(others.toSpliced(at === -1 ? others.length : at, 0, ...after));
      }, options),
    clear: () => {
      clearText();
      set({ ...withFilters([]), ...without([...controls, "q"]) }, asStep);
    },
    setSort: (sort: string) => set({ sort: sort === order ? undefined : sort }, asStep),
    setColumns: (ids: string[]) => set({ columns: ids.length > 0 ? ids.join() : undefined }),
  };
}

/** A list of records of any kind. */
export type AnyList = ReturnType<typeof useList<never>>;
