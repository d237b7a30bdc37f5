import type { ReactNode } from "react";
import { ApiError } from "@/api/errors";

/** Checks whether a save was refused because the record has changed since. */
export const isStale = (error: unknown) => error instanceof ApiError && error.code === "stale_version";

/** A field of a record, or a group of fields, that a conflict resolves as a whole. */
export interface ConflictField<V> {
  names: readonly (keyof V & string)[];
  label: string;
  /** Renders its value. */
  show: (values: V) => ReactNode;
}

/** Compares two values; empty, absent and null are equal. `useConflict` asks at every `stale_version`, whatever this returns. */
export function isSameValue(a: unknown, b: unknown): boolean {
  const plain = (value: unknown) => JSON.stringify(value === "" || value === null ? undefined : value);
  return plain(a) === plain(b);
}

const differs = <V>(names: readonly (keyof V & string)[], a: V, b: V) => names.some((name) => !isSameValue(a[name], b[name]));

export interface Difference<V> extends ConflictField<V> {
  /** Whether it was changed here since the record was read. */
  mineChanged: boolean;
}

/** Returns the fields in which the member's version and the other version differ. */
export function findDifferences<V>(fields: readonly ConflictField<V>[], base: V, mine: V, theirs: V): Difference<V>[] {
  return fields
    .filter(({ names }) => differs(names, mine, theirs))
    .map((field) => ({ ...field, mineChanged: differs(field.names, base, mine) }));
}

/** Returns the other version with the given fields of the member's. */
export function mergeVersions<V>(theirs: V, mine: V, kept: readonly ConflictField<V>[]): V {
  // Built from entries: assigning a field named `__proto__` would change the prototype instead.
  const own = kept.flatMap(({ names }) => names).map((name) => [name, mine[name]] as const);
  return { ...theirs, ...(Object.fromEntries(own) as Partial<V>) };
}
