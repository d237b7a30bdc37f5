import type { ReactNode } from "react";
import { ApiError } from "@/api/errors";

/** Whether a save was refused because the record is another by now. */
export const isStale = (error: unknown) => error instanceof ApiError && error.code === "stale_version";

/** Something of a record that is chosen as a whole: one field of it, or some that belong together. */
export interface ConflictField<V> {
  names: readonly (keyof V & string)[];
  label: string;
  /** What it is in these values, to read. */
  show: (values: V) => ReactNode;
}

/** Whether two values are the same: what is empty, absent or null is all one. */
export function isSameValue(a: unknown, b: unknown): boolean {
  const plain = (value: unknown) => JSON.stringify(value === "" || value === null ? undefined : value);
  return plain(a) === plain(b);
}

const differs = <V>(names: readonly (keyof V & string)[], a: V, b: V) => names.some((name) => !isSameValue(a[name], b[name]));

export interface Difference<V> extends ConflictField<V> {
  /** Whether it was changed here since the record was read. */
  mineChanged: boolean;
}

/** In what one's own version and the other differ. */
export function findDifferences<V>(fields: readonly ConflictField<V>[], base: V, mine: V, theirs: V): Difference<V>[] {
  return fields
    .filter(({ names }) => differs(names, mine, theirs))
    .map((field) => ({ ...field, mineChanged: differs(field.names, base, mine) }));
}

/** The other version with these fields of one's own. */
export function mergeVersions<V>(theirs: V, mine: V, kept: readonly ConflictField<V>[]): V {
  // Made of entries: setting a member named `__proto__` would change the prototype instead.
  const own = kept.flatMap(({ names }) => names).map((name) => [name, mine[name]] as const);
  return { ...theirs, ...(Object.fromEntries(own) as Partial<V>) };
}
