import { ConflictDialog } from "@/components/conflict-dialog";
import { type ConflictField, isSameValue } from "@/records/conflicts";
import { useChangerText } from "./use-changer-text";

export interface PatchConflictProps<T, P> {
  base: T;
  mine: T;
  theirs: T;
  /** The own changes that stay. */
  onChoose: (patch: P) => void;
  onClose: () => void;
}

interface Of<T> {
  kind: "task" | "page";
  /** Each name is one that can be changed by itself. */
  fields: readonly ConflictField<T>[];
  /** What a field is set to that the chosen version leaves empty. */
  empty: (name: keyof T) => null | "";
}

/** Asks which of two versions of a record stays that is saved by what changed of it. */
export function PatchConflict<T extends { id: string }, P>({ kind, fields, empty, ...props }: Of<T> & PatchConflictProps<T, P>) {
  const { base, mine, theirs, onChoose, onClose } = props;
  const text = useChangerText({ kind, recordId: theirs.id });
  const choose = (chosen: T) => {
    const names = fields.flatMap((field) => field.names).filter((name) => !isSameValue(chosen[name], theirs[name]));
    onChoose(Object.fromEntries(names.map((name) => [name, chosen[name] ?? empty(name)])) as P);
  };
  return <ConflictDialog fields={fields} base={base} mine={mine} theirs={theirs} text={text} onChoose={choose} onClose={onClose} />;
}
