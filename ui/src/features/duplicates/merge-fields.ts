import type { CustomField, MergeChoice, RecordOf } from "@/api/schema";
import { phoneLink } from "@/lib/countries";
import { valueAt } from "@/lib/property";
import { isSameValue } from "@/records/conflicts";
import { type Field, inputsOf, pathsOf } from "@/records/fields";
import type { MergedKind } from "@/records/kinds";

/** A field of two records that become one. */
export interface MergeField {
  /** The server's names of the values that are chosen together. */
  paths: string[];
  field: Field;
  /** Returns its value; undefined if it is empty. */
  read: (record: RecordOf<MergedKind>) => unknown;
  /** Returns the id of the organization that a company names. */
  readLink?: (record: RecordOf<MergedKind>) => unknown;
  /** Returns both values as one, for lists and notes. */
  unite?: (one: unknown, other: unknown) => unknown;
}

const isEmpty = (value: unknown) => value === undefined || value === null || value === "" || (Array.isArray(value) && value.length === 0);
const filled = (value: unknown) => (isEmpty(value) ? undefined : value);

/** What makes two items of a list the same, by the names of the lists in the form. */
const keys: Partial<Record<string, (item: never) => string>> = {
  tags: (tag: string) => tag,
  emails: ({ email }: { email: string }) => email.toLowerCase(),
  phoneNumbers: (phone: { phoneNumber: string }) => phoneLink(phone),
  attachments: ({ url }: { url: string }) => url,
};

/** Returns the items of both lists, each once. */
const united = (keyOf: (item: never) => string) => (one: unknown, other: unknown) => {
  const items = [one, other].flatMap((list) => (Array.isArray(list) ? (list as never[]) : []));
  return [...new Map(items.toReversed().map((item) => [keyOf(item), item])).values()].toReversed();
};

const joined = (one: unknown, other: unknown) => [one, other].filter((html) => typeof html === "string").join("");

/** Returns the fields of a kind for a merge, in the order of its form, and the custom ones. */
export function mergeFields(kind: MergedKind, custom: { field: CustomField; described: Field }[], externalId: Field): MergeField[] {
  const inputs = [...inputsOf(kind)];
  const links = inputs.flatMap(([, field]) => (field.type === "company" ? [field.link] : []));
  const own = inputs
    .filter(([input]) => !links.includes(input))
    .map(([input, field]): MergeField => {
      const paths = pathsOf(kind, input);
      const read = (record: RecordOf<MergedKind>) => {
        const values = paths.map((path) => valueAt(record, path));
        return filled(paths.length > 1 ? values.flatMap((list) => list ?? []) : values[0]);
      };
      const keyOf = keys[input];
      const unite = keyOf ? united(keyOf) : field.type === "html" ? joined : undefined;
      if (field.type !== "company") return { paths, field, read, ...(unite && { unite }) };
      const [link = field.link] = pathsOf(kind, field.link);
      return { paths: [link, ...paths], field, read, readLink: (record) => valueAt(record, link) };
    });
  const others = custom.map(
    ({ field: { key, type }, described }): MergeField => ({
      paths: [`fields.${key}`],
      field: described,
      read: ({ fields }) => filled(fields[key]),
      ...(type === "choices" && { unite: united(String) }),
    }),
  );
  return [...own, ...others, { paths: ["externalId"], field: externalId, read: (record) => filled(valueAt(record, "externalId")) }];
}

/** Returns a value without the order of its items, and without their empty labels. */
function comparable(value: unknown): unknown {
  if (!Array.isArray(value)) return value;
  return value.map((item) => JSON.stringify(item, (_key, part: unknown) => part || undefined)).sort();
}

/** Whether two records have the same value of a field. */
export const isSame = ({ read, readLink }: MergeField, one: RecordOf<MergedKind>, other: RecordOf<MergedKind>) =>
  isSameValue(comparable(read(one)), comparable(read(other))) && isSameValue(readLink?.(one), readLink?.(other));

/** What is kept of a field: the value of the record with an id, or both. */
export type Chosen = "both" | (string & {});

/** Returns what is kept of a field unless another choice is made. */
export function usualChoice({ read, unite }: MergeField, kept: RecordOf<MergedKind>, duplicate: RecordOf<MergedKind>): Chosen {
  const isBoth = read(kept) !== undefined && read(duplicate) !== undefined;
  if (isBoth) return unite ? "both" : kept.id;
  return read(kept) === undefined ? duplicate.id : kept.id;
}

/** Returns a choice as the call takes it. */
export function toChoice(chosen: Chosen, kept: RecordOf<MergedKind>): MergeChoice {
  if (chosen === "both") return "both";
  return chosen === kept.id ? "keep" : "take";
}

/** Returns the record to keep at first: the one with more values, of equal ones the older one. */
export function fullerRecord(fields: MergeField[], one: RecordOf<MergedKind>, other: RecordOf<MergedKind>): RecordOf<MergedKind> {
  const count = (record: RecordOf<MergedKind>) => fields.filter(({ read }) => read(record) !== undefined).length;
  const more = count(one) - count(other);
  if (more !== 0) return more > 0 ? one : other;
  return one.createdAt <= other.createdAt ? one : other;
}
