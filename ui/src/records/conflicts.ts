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

export interface Comparison<V> {
  /** The fields that both changed, to different values: the member chooses. */
  asked: ConflictField<V>[];
  /** The fields that only the member changed. */
  own: ConflictField<V>[];
}

/** Compares both versions with the record that they come from. Fields in neither list have the other version's values. */
export function compareVersions<V>(fields: readonly ConflictField<V>[], base: V, mine: V, theirs: V): Comparison<V> {
  const changed = fields.filter(({ names }) => differs(names, mine, theirs) && differs(names, base, mine));
  const isTheirs = ({ names }: ConflictField<V>) => differs(names, base, theirs);
  return { asked: changed.filter(isTheirs), own: changed.filter((field) => !isTheirs(field)) };
}

/** Returns the other version with the given fields of the member's. */
export function mergeVersions<V>(theirs: V, mine: V, kept: readonly ConflictField<V>[]): V {
  // Built from entries: assigning a field named `__proto__` would change the prototype instead.
  const own = kept.flatMap(({ names }) => names).map((name) => [name, mine[name]] as const);
  return { ...theirs, ...(Object.fromEntries(own) as Partial<V>) };
}
