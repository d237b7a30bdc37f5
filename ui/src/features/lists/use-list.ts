import { useQuery } from "@tanstack/react-query";
import type { TFunction } from "i18next";
import { useRef } from "react";
import { useTranslation } from "react-i18next";
import type { NavigateOptions } from "react-router";
import type { FieldValues, RecordImport, Stamped } from "@/api/schema";
import type { RecordColumn } from "@/components/record-table";
import { fieldsQuery } from "@/features/fields/data";
import { cx } from "@/lib/cx";
import { mediumDate } from "@/lib/format";
import { isSearchable, searchText } from "@/lib/search-params";
import { toast } from "@/lib/toast";
import { asStep, type QueryChange, type QueryValues, useSearchText } from "@/lib/use-address";
import { importColumn, importsQuery } from "@/records/imports";
import { type CreatedKind, recordKinds } from "@/records/kinds";
import { isSortable, type ListColumn } from "@/records/list/columns";
import { type FilterEntry, readFilters, sameFilters } from "@/records/list/conditions";
import { formatFilter, maxFilters } from "@/records/list/filters";
import { withCommonColumns } from "./common-columns";
import { viewsQuery } from "./data";
import { fieldColumn } from "./field-cell";

export interface ListOptions<T> {
  kind: CreatedKind;
  /** The columns of the kind; those that every kind has are added, and those of custom fields follow. */
  columns: ListColumn<T>[];
  /** The order unless another is chosen, as the server writes it. */
  order: string;
  /** The filters unless others are chosen. */
  filters?: string[];
  /** Whether the choices of the columns are known, which the filters of the address are checked against. */
  hasChoices?: boolean;
  /** The query of the screen's address, as `useAddressQuery` and `usePaging` return it. */
  address: { query: URLSearchParams; set: (change: QueryChange, options?: NavigateOptions) => void };
  /** Parameters of older links with one value, and the columns that they filter. */
  aliases?: Record<string, string>;
  narrowing?: Narrowing | undefined;
}

/** What a screen's own controls narrow its list to. */
export interface Narrowing {
  /** The parameters of the address that the controls set. */
  parameters: string[];
  /** The filters that they stand for in a saved view. */
  filters: string[];
  /** Returns the filters of the list's call besides those of its bar; without it, the screen makes the call itself. */
  request?: (entries: FilterEntry[]) => string[];
}

const noFilters: string[] = [];
const noNarrowing: Narrowing = { parameters: [], filters: [] };

/** Returns the column by which a list is filtered by imports. */
function columnOfImports<T>(imports: RecordImport[], t: TFunction): ListColumn<T> {
  const choices = imports.map(({ id, name, createdAt }) => ({ key: id, name: `${name} · ${mediumDate(createdAt)}` }));
  return { id: importColumn, label: t("ui.list.importColumn"), type: "import", choices };
}

/** What an address or a view makes of a list. */
interface ListState {
  filters: string[];
  q: string;
  sort: string;
  /** The chosen columns in order; empty for the usual ones. */
  columns: string[];
}

/** The value of `view` for the list without a view, when it usually opens with one. */
const noView = "all";

const without = (parameters: string[]): QueryValues => Object.fromEntries(parameters.map((parameter) => [parameter, undefined]));

const isSame = (a: string[], b: string[]) => a.join() === b.join();

/**
 * Manages a list's filters, order, columns and saved views. The address has `view`, and of the other parameters those
 * that differ from the view.
 */
export function useList<T extends Stamped & { fields: FieldValues }>({
  kind,
  columns: own,
  order,
  filters: usualFilters = noFilters,
  hasChoices = true,
  address,
  aliases = {},
  narrowing = noNarrowing,
}: ListOptions<T>) {
  const { t } = useTranslation();
  const { name } = recordKinds[kind];
  const { query } = address;
  const fields = useQuery(fieldsQuery);
  const views = useQuery(viewsQuery(name));

  const { items = [], defaultId } = views.data ?? {};
  // Few lists are filtered by an import, so the imports are not read for the others.
  const isOfImport = (filter: string) => filter.startsWith(`${importColumn}:`);
  const asksForImports = [...query.getAll("filter"), ...items.flatMap(({ filters }) => filters)].some(isOfImport);
  const imports = useQuery({ ...importsQuery, enabled: asksForImports });
  const ownImports = (imports.data ?? []).filter((one) => one.kind === name && one.counts.created + one.counts.updated > 0);
  const columns: ListColumn<T>[] = [
    ...withCommonColumns(own, t),
    ...(fields.data ?? []).filter((field) => field.kind === name).map((field) => fieldColumn<T>(field)),
    ...(ownImports.length > 0 ? [columnOfImports<T>(ownImports, t)] : []),
  ];
  const parameters = ["view", "filter", "q", "sort", "columns", ...Object.keys(aliases), ...narrowing.parameters];
  const isBare = !parameters.some((parameter) => query.has(parameter));
  const viewId = isBare ? defaultId : (query.get("view") ?? undefined);
  const view = items.find(({ id }) => id === viewId);

  const allowedSort = (sort: string | null | undefined) =>
    columns.some((column) => isSortable(column) && sort && [column.id, `-${column.id}`].includes(sort)) ? sort : undefined;
  const base: ListState = {
    filters: view?.filters ?? usualFilters,
    q: view?.q ?? "",
    sort: allowedSort(view?.sort) ?? order,
    columns: view?.columns ?? [],
  };
  const aliased = (search: URLSearchParams) =>
    Object.entries(aliases).flatMap(([parameter, column]) => {
      const value = search.get(parameter);
      return value ? [formatFilter({ column, operator: "is", values: [value] })] : [];
    });
  const filtersIn = (search: URLSearchParams): string[] => {
    if (search.has("filter")) return search.getAll("filter").filter(Boolean).slice(0, maxFilters);
    const older = aliased(search);
    return older.length > 0 ? older : base.filters;
  };
  const state: ListState = {
    filters: filtersIn(query),
    q: query.has("q") ? (searchText(query.get("q") ?? "") ?? "") : base.q,
    sort: query.has("sort") ? (allowedSort(query.get("sort")) ?? order) : base.sort,
    columns: query.has("columns") ? (query.get("columns") ?? "").split(",").filter(Boolean) : base.columns,
  };

  const viewValue = (id: string | undefined) => ({ view: id ?? (defaultId && noView) });
  /** A parameter that says the same as the view is left out; one without a value removes what the view has. */
  const override = (isBase: boolean, value: string[]) => (isBase ? undefined : value.length > 0 ? value : [""]);
  const withFilters = (filters: string[]): QueryValues => ({
    ...viewValue(view?.id),
    ...without(Object.keys(aliases)),
    filter: override(sameFilters(filters, base.filters), filters),
  });
  /** Changes parameters, and keeps the view. */
  const set = (values: QueryValues, options?: NavigateOptions) => address.set({ ...viewValue(view?.id), ...values }, options);
  const {
    text,
    setText,
    isTooShort,
    clear: clearText,
  } = useSearchText(state.q, ({ q = "" }) => set({ q: override(q === base.q, [q]) }), isSearchable);
  /** Shows a view as it was saved, or the list without one. */
  const open = (id: string | undefined, options = asStep) => address.set({ ...without(parameters), ...viewValue(id) }, options);

  const savedFilters = [...narrowing.filters, ...state.filters];
  const entries = readFilters(state.filters, columns);
  const filterButton = useRef<HTMLButtonElement>(null);
  const narrowed = narrowing.request?.(entries) ?? [];
  const chosen = state.columns.flatMap((id) => columns.find((column) => column.id === id && column.cell) ?? []);
  const shown = chosen.length > 0 ? chosen : columns.filter(({ usual }) => usual);
  const waits = (missing: { data: unknown; failureCount: number }) => missing.data === undefined && missing.failureCount === 0;
  const isOpenChoice = (filter: string) =>
    columns.some(({ id, type, choices }) => type === "choice" && !choices?.length && filter.startsWith(`${id}:`));
  const needsChoices =
    (!hasChoices && state.filters.some(isOpenChoice)) ||
    (JSON.stringify(state).includes("fields.") && waits(fields)) ||
    (state.filters.some(isOfImport) && waits(imports));

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
    views: items,
    view,
    defaultId,
    /** Whether the address names a view that the member does not see. */
    isViewGone: viewId !== undefined && viewId !== noView && !view && views.data !== undefined,
    state,
    /** What a saved view has. */
    toSave: { filters: savedFilters, sort: state.sort, columns: state.columns },
    entries,
    /** Returns the value of a column that all records of the list have by its filter, if it is one. */
    onlyValue: (column: string): string | undefined => {
      const found = entries.find(({ condition }) => condition?.column === column && condition.mode === "is")?.condition;
      return found?.values.length === 1 ? found.values[0] : undefined;
    },
    isFiltered: Boolean(state.q) || (state.filters.length > 0 && !sameFilters(state.filters, usualFilters)),
    /** Whether the list differs from the open view. */
    isChanged:
      !sameFilters(savedFilters, base.filters) || state.q !== base.q || state.sort !== base.sort || !isSame(state.columns, base.columns),
    /** The parameters of the list's call. */
    request: {
      q: state.q || undefined,
      filter: [...narrowed, ...entries.flatMap(({ condition, texts }) => (condition ? texts : []))],
      sort: state.sort,
    },
    /** Whether the parameters are known: views and custom fields have been read, as far as the address needs them. */
    isKnown: !needsChoices && !((isBare || (viewId !== undefined && viewId !== noView)) && waits(views)),
    /** Whether the list may be read: without parameters probably, most members open it without a view. */
    mayRead: !needsChoices && (isBare || viewId === undefined || viewId === noView || !waits(views)),
    search: { text, setText, isTooShort },
    /** The query of the address, for links that keep it. */
    addressText: query.size > 0 ? `?${query}` : "",
    set,
    open,
    /** Replaces the filters of an entry, which begin with number `at`, by others in their place. */
    replaceFilters: (at: number, before: string[], after: string[], options?: NavigateOptions) => {
      address.set((latest) => {
        const filters = filtersIn(latest);
        // The address may have changed since the entry was read.
        const place = before.every((text, index) => filters[at + index] === text) ? at : filters.indexOf(before[0] ?? "");
        return withFilters(place === -1 ? [...filters, ...after] : filters.toSpliced(place, before.length, ...after));
      }, options);
    },
    /** Adds the filter by a tag to the others. */
    filterByTag: (tag: string) => {
      const text = formatFilter({ column: "tags", operator: "is", values: [tag] });
      if (state.filters.includes(text)) return;
      if (state.filters.length >= maxFilters) toast.info(t("ui.list.filters.full", { max: maxFilters }));
      else address.set((latest) => withFilters([...filtersIn(latest), text]), asStep);
    },
    /** The button that adds a filter, which gets the focus when there are none left. */
    filterButton,
    clear: () => {
      clearText();
      address.set({ ...withFilters([]), ...without(narrowing.parameters), q: override(base.q === "", []) }, asStep);
      filterButton.current?.focus();
    },
    setSort: (sort: string) => set({ sort: override(sort === base.sort, [sort]) }, asStep),
    setColumns: (ids: string[]) => set({ columns: override(isSame(ids, base.columns), ids.length > 0 ? [ids.join()] : []) }),
  };
}

/** A list of records of any kind. */
export type AnyList = ReturnType<typeof useList<never>>;
