import { queryOptions, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, ifMatch } from "@/api/client";
import type { CustomField, CustomFieldPatch, NewCustomField } from "@/api/schema";
import { type Field, fieldOf } from "@/records/fields";
import { type CreatedKind, kindAt, recordKinds } from "@/records/kinds";

/** The custom fields of all kinds, in the order of the forms. */
export const fieldsQuery = queryOptions({
  queryKey: ["fields"],
  queryFn: async ({ signal }) => (await api.get("/api/fields", { signal })).items,
  staleTime: 60_000,
});

/** The deleted custom fields of all kinds, which can be restored. */
export const removedFieldsQuery = queryOptions({
  queryKey: ["fields", "removed"],
  queryFn: async ({ signal }) => (await api.get("/api/fields", { query: { removed: true }, signal })).items,
  staleTime: 10_000,
});

/** Returns the custom fields of a kind. */
export function useFields(kind: CreatedKind): CustomField[] {
  const { data } = useQuery(fieldsQuery);
  const { name } = recordKinds[kind];
  return (data ?? []).filter((field) => field.kind === name);
}

/** Returns what a custom field holds, as the fields that all companies have. */
export function described({ name, type, choices, target }: CustomField): Field {
  switch (type) {
    case "text":
    case "longText":
    case "url":
      return { name, type: "text" };
    case "date":
      return { name, type: "day" };
    case "checkbox":
      return { name, type: "yesNo" };
    case "choice":
    case "choices":
      return { name, type: "named", names: Object.fromEntries(choices.map((choice) => [choice.key, choice.name])) };
    case "number":
    case "money":
      return { name, type };
    case "member":
      return { name, type };
    case "record":
      return { name, type, target: kindAt(target) };
  }
}

/** Returns a function that finds a field of a kind by the name that the server gives it. */
export function useFieldOf(kind: CreatedKind): (name: string) => Field | undefined {
  const custom = useFields(kind);
  return (name) => {
    const own = custom.find(({ key }) => name === `fields.${key}`);
    return own ? described(own) : fieldOf(kind, name);
  };
}

/** Defines, changes, deletes and restores fields. */
export function useFieldCalls() {
  const client = useQueryClient();
  const refresh = () => client.invalidateQueries({ queryKey: ["fields"] });
  return {
    create: useMutation({
      mutationFn: ({ key, ...field }: NewCustomField & { key: string }) =>
        api.post("/api/fields", field, { header: { "Idempotency-Key": key } }),
      meta: { handled: true },
      onSuccess: refresh,
    }),
    change: useMutation({
      mutationFn: ({ id, version, ...patch }: CustomFieldPatch & Pick<CustomField, "id" | "version">) =>
        api.patch("/api/fields/{id}", patch, { path: { id }, header: ifMatch(version) }),
      meta: { handled: true },
      // A field that a colleague changed is read again, too.
      onSettled: refresh,
    }),
    move: useMutation({
      mutationFn: ({ id, place }: { id: string; place: number }) => api.patch("/api/fields/{id}", { place }, { path: { id } }),
      onSettled: refresh,
    }),
    remove: useMutation({ mutationFn: (id: string) => api.delete("/api/fields/{id}", { path: { id } }), onSettled: refresh }),
    restore: useMutation({ mutationFn: (id: string) => api.post("/api/fields/{id}/restore", {}, { path: { id } }), onSettled: refresh }),
  };
}
