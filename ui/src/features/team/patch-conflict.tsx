import { ConflictDialog } from "@/components/conflict-dialog";
import { type ConflictField, isSameValue } from "@/records/conflicts";
import { useChangerText } from "./use-changer-text";

export interface PatchConflictProps<T, P> {
  base: T;
  mine: T;
  theirs: T;
  /** Receives the member's own changes that are kept. */
  onChoose: (patch: P) => void;
  onClose: () => void;
}

interface Of<T> {
  kind: "task" | "page";
  /** The fields; each can be patched separately. */
  fields: readonly ConflictField<T>[];
  /** Returns the value for a field that the chosen version leaves empty. */
  empty: (name: keyof T) => null | "";
}

/** Resolves a conflict of a record that is saved by patches. */
export function PatchConflict<T extends { id: string }, P>({ kind, fields, empty, ...props }: Of<T> & PatchConflictProps<T, P>) {
  const { base, mine, theirs, onChoose, onClose } = props;
  const text = useChangerText({ kind, recordId: theirs.id });
  const choose = (chosen: T) => {
    const names = fields.flatMap((field) => field.names).filter((name) => !isSameValue(chosen[name], theirs[name]));
    onChoose(Object.fromEntries(names.map((name) => [name, chosen[name] ?? empty(name)])) as P);
  };
  return <ConflictDialog fields={fields} base={base} mine={mine} theirs={theirs} text={text} onChoose={choose} onClose={onClose} />;
}
