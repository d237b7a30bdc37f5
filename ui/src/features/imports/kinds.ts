import type { RecordImport } from "@/api/schema";
import { type ImportedKind, importedKinds, recordKinds } from "@/records/kinds";

/** The names of the kinds that are imported, as in the paths of calls. */
export type ImportedName = (typeof recordKinds)[ImportedKind]["name"];

export const importedNames = importedKinds.map((kind): ImportedName => recordKinds[kind].name);

/** Returns the kind of the records of an import. The server imports no others. */
export function kindOf({ kind }: RecordImport): { kind: ImportedKind; name: ImportedName } {
  const found = importedKinds.find((one) => recordKinds[one].name === kind) ?? "customer";
  return { kind: found, name: recordKinds[found].name };
}
