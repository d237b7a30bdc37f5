import { keepPreviousData, queryOptions, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { api, ifMatch } from "@/api/client";
import { download } from "@/api/download";
import type { ImportColumn, ImportPatch, ImportPlan, RecordImport } from "@/api/schema";
import { uploadTo } from "@/api/upload";
import { useMay } from "@/features/account/data";
import { importLookMs, importsQuery, isInProgress } from "@/records/imports";
import { statusesQuery } from "@/records/statuses";

/** Whether nothing is imported yet: its columns can be matched. */
export const isOpen = ({ state }: RecordImport) => state === "ready" || state === "checking" || state === "checked";
/** Whether it has imported rows that can be undone. */
export const isUndoable = ({ state, counts }: RecordImport) =>
  (state === "done" || state === "stopped" || state === "failed") && counts.created + counts.updated > 0;

export const importQuery = (id: string) =>
  queryOptions({
    queryKey: ["imports", "one", id],
    queryFn: ({ signal }): Promise<ImportPlan> => api.get("/api/imports/{id}", { path: { id }, signal, quiet: true }),
    staleTime: 0,
    refetchInterval: ({ state }) => (state.data && isInProgress(state.data) ? importLookMs : false),
  });

/** The fields that columns can go to. Those of the company change with its custom fields, hence the key. */
export const importFieldsQuery = (kind: RecordImport["kind"], language: string) =>
  queryOptions({
    queryKey: ["fields", "import", kind, language],
    queryFn: async ({ signal }) => (await api.get("/api/imports/fields", { query: { kind }, signal })).items,
    staleTime: 60_000,
  });

/** The first rows as a plan imports them. */
export const previewQuery = ({ id, columns, duplicates, ...plan }: ImportPlan) => {
  const targets = columns.map(({ field, newField, label, values }) => [field, newField?.type, label, values]);
  const reading = [plan.encoding, plan.delimiter, plan.hasHeader, plan.skippedRows, plan.dateOrder, plan.decimalMark];
  return queryOptions({
    queryKey: ["import-preview", id, targets, reading],
    queryFn: async ({ signal }) => (await api.get("/api/imports/{id}/preview", { path: { id }, signal, quiet: true })).rows,
    placeholderData: keepPreviousData,
    staleTime: 60_000,
  });
};

/** What a file to import may have. */
export const importLimitsQuery = queryOptions({
  queryKey: ["import-limits"],
  queryFn: async ({ signal }) => (await api.get("/api/schema", { signal })).limits.import,
  staleTime: Number.POSITIVE_INFINITY,
});

/** Uploads a file to import. The key makes a retry safe. */
export const uploadImport = (
  kind: RecordImport["kind"],
  file: File,
  { key, ...options }: { key: string; onProgress: (share: number) => void; signal: AbortSignal },
) => uploadTo<ImportPlan>(`/api/imports?kind=${kind}`, file, { ...options, headers: { "Idempotency-Key": key } });

/** Downloads what is wrong with the rows of an import or its check, as CSV. */
export const downloadReport = ({ id }: RecordImport, name: string) => download(`/api/imports/${id}/report`, name);

/** Returns a column with what a change makes of it: another field is no guess, and has other choices. */
function changedColumn(column: ImportColumn, change: NonNullable<ImportPatch["columns"]>[number]): ImportColumn {
  const { header, samples, guessedFrom } = column;
  const { field, newField, label, values } = change;
  const isSame = (field ?? undefined) === column.field;
  const isGuess = guessedFrom && isSame;
  const known = isSame ? column : { values: [], unknownValues: [], unknownOthers: 0, ambiguousNumbers: false };
  return {
    header,
    samples,
    label: label ?? column.label,
    values: values?.map(({ value, choice }) => ({ value, ...(choice && { choice }) })) ?? known.values,
    unknownValues: known.unknownValues,
    unknownOthers: known.unknownOthers,
    ambiguousNumbers: known.ambiguousNumbers,
    ...(field && { field }),
    ...(newField && { newField }),
    ...(isGuess && { guessedFrom }),
  };
}

/** Returns a plan with a change, as the server will: a check that was made before no longer counts. */
function changedPlan({ checked: _, ...known }: ImportPlan, { columns, ...settings }: ImportPatch): ImportPlan {
  const given = Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined));
  const changed = known.columns.map((column, at) => (columns?.[at] ? changedColumn(column, columns[at]) : column));
  return { ...known, ...given, state: "ready", problems: [], columns: changed };
}

/** Changes how the file of an import is read: shown at once, sent one after the other. */
export function useChangeImport(id: string) {
  const client = useQueryClient();
  const { queryKey } = importQuery(id);
  const mutationKey = ["imports", id];
  return useMutation({
    mutationKey,
    scope: { id: `import ${id}` },
    mutationFn: (patch: ImportPatch) => api.patch("/api/imports/{id}", patch, { path: { id } }),
    meta: { handled: true },
    onMutate: async (patch) => {
      await client.cancelQueries({ queryKey });
      client.setQueryData(queryKey, (known) => known && changedPlan(known, patch));
    },
    onSuccess: (plan) => {
      // A later change is already shown.
      if (client.isMutating({ mutationKey }) === 1) client.setQueryData(queryKey, plan);
    },
    onError: () => client.invalidateQueries({ queryKey }),
  });
}

/** Whether the member may add choices to a field: statuses of people, and choices of custom fields. */
export function useMayAddChoice(kind: RecordImport["kind"], field: string): boolean {
  const mayDefine = useMay("fields.manage");
  const maySet = useMay("settings.company");
  const { data } = useQuery(importFieldsQuery(kind, useTranslation().i18n.language));
  const isBox = data?.find(({ name }) => name === field)?.choices?.some(({ id }) => id === "true") ?? false;
  if (field.startsWith("fields.")) return mayDefine && !isBox;
  return kind === "customers" && field === "status" && maySet;
}

/** Adds a choice to a field, at its end, and returns its id. */
async function addChoice(kind: RecordImport["kind"], field: string, name: string): Promise<string | undefined> {
  if (!field.startsWith("fields.")) {
    const { version, statuses } = await api.get("/api/customers/statuses");
    const kept = statuses
      .filter(({ replacedBy }) => replacedBy === undefined)
      .map(({ id, name: known, color, retentionMonths }) => ({ id, name: known, color, ...(retentionMonths && { retentionMonths }) }));
    const patch = { statuses: [...kept, { name: name.slice(0, 60), color: "gray" as const }] };
    const changed = await api.patch("/api/customers/statuses", patch, { header: ifMatch(version) });
    return changed.statuses.filter(({ replacedBy }) => replacedBy === undefined).at(-1)?.id;
  }
  const { items } = await api.get("/api/fields", {});
  const found = items.find((one) => one.kind === kind && `fields.${one.key}` === field);
  if (!found) return undefined;
  const choices = found.choices.map(({ key, name: known }) => ({ key, name: known }));
  const changed = await api.patch("/api/fields/{id}", { choices: [...choices, { name: name.slice(0, 100) }] }, { path: { id: found.id } });
  return changed.choices.at(-1)?.key;
}

/** Adds a choice to a field of a kind. */
export function useAddChoice(kind: RecordImport["kind"], field: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (name: string) => addChoice(kind, field, name),
    meta: { handled: true },
    onSettled: () => Promise.all([["fields"], statusesQuery.queryKey].map((queryKey) => client.invalidateQueries({ queryKey }))),
  });
}

/** Checks, starts, stops and undoes imports, and removes those that have not begun. */
export function useImportCalls() {
  const client = useQueryClient();
  const refresh = () => client.invalidateQueries({ queryKey: ["imports"] });
  const show = (answer: RecordImport) => {
    client.setQueryData(importQuery(answer.id).queryKey, (known) => {
      if (!known) return known;
      const { checked: _, fault: __, ...plan } = known;
      return { ...plan, ...answer };
    });
    void refresh();
  };
  /** A refusal may mean that the import is in another state than shown. */
  const shared = { meta: { handled: true }, onSuccess: show, onError: refresh };
  const at = (id: string) => ({ path: { id } });
  return {
    check: useMutation({ ...shared, mutationFn: (id: string) => api.post("/api/imports/{id}/check", {}, at(id)) }),
    start: useMutation({ ...shared, mutationFn: (id: string) => api.post("/api/imports/{id}/start", {}, at(id)) }),
    stop: useMutation({ ...shared, mutationFn: (id: string) => api.post("/api/imports/{id}/stop", {}, at(id)) }),
    undo: useMutation({ ...shared, mutationFn: (id: string) => api.post("/api/imports/{id}/undo", {}, at(id)) }),
    remove: useMutation({
      mutationFn: (id: string) => api.delete("/api/imports/{id}", at(id)),
      onSettled: () => client.invalidateQueries({ queryKey: importsQuery.queryKey }),
    }),
  };
}
