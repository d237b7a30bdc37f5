import type { FieldValues, InputOf, RecordOf } from "@/api/schema";
import { valueAt } from "@/lib/property";
import { inputsOf, pathOf } from "./fields";
import type { CreatedKind } from "./kinds";

/** The values of a record by the names that its fields have in the form. */
export type FlatValues = Record<string, unknown>;

/** Returns the values of a record by the names that its fields have in the form. */
export const flatValues = <K extends CreatedKind>(kind: K, record: RecordOf<K>): FlatValues =>
  Object.fromEntries([...inputsOf(kind).keys()].map((input) => [input, valueAt(record, pathOf(kind, input))]));

/** The name that the value of a custom field has beside those of the form; the server names its errors so, too. */
export const customInput = (key: string) => `fields.${key}`;

/** Returns the values of a record's custom fields by their names. */
export const customValues = (fields: FieldValues): FlatValues =>
  Object.fromEntries(Object.entries(fields).map(([key, value]) => [customInput(key), value]));

/** Returns the body that changes these values; `undefined` clears one. */
export function bodyOf<K extends CreatedKind>(kind: K, values: FlatValues): InputOf<K> {
  const body: Record<string, unknown> = {};
  const inputs = inputsOf(kind);
  for (const [input, value = null] of Object.entries(values)) {
    const field = inputs.get(input);
    // The server sets the name of a linked organization.
    if (field?.type === "company" && values[field.link]) continue;
    const [name = input, part] = pathOf(kind, input).split(".");
    body[name] = part === undefined ? value : { ...(body[name] as object | undefined), [part]: value };
  }
  return body as InputOf<K>;
}
