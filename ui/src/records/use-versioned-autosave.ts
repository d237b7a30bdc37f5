import { useCallback, useEffect, useRef, useState } from "react";
import { readDraft, writeDraft } from "@/lib/drafts";
import { isSameValue, isStale } from "@/records/conflicts";
import { useAutosave } from "@/records/use-autosave";
import type { Versioned } from "@/records/use-conflict";

export interface VersionedAutosaveOptions<R extends Versioned, P extends object> {
  /** What the server has, as far as is known. */
  record: R;
  /** Whose words they are, and of what: what could not be saved waits under this name. */
  member: string;
  name: string;
  send: (patch: P, version: number) => Promise<R>;
  /** Reads the record as it is now. */
  read: () => Promise<R>;
  /** Shows the record as others made it, with what is being changed here. */
  adopt: (record: R, patch: Partial<P>) => void;
  /** Whether what others did does not come in by itself just now. */
  holds?: () => boolean;
  delay?: number;
}

interface Waiting<R, P> {
  base: R;
  patch: Partial<P>;
}

/**
 * Saves changes by themselves over the version they were made to. Where others changed something else, both
 * changes stay; where they changed the same, it is asked which stays, and what could not be asked any more
 * waits until the record is opened again.
 */
export function useVersionedAutosave<R extends Versioned, P extends object>(options: VersionedAutosaveOptions<R, P>) {
  const { record, member, name } = options;
  const base = useRef(record);
  const [theirs, setTheirs] = useState<R>();
  const now = useRef(options);
  now.current = options;
  const here = useRef(true);

  const { change, drop, isDirty, pending, ...autosave } = useAutosave<P>(async (patch) => {
    const { send, read, adopt } = now.current;
    for (;;) {
      try {
        base.current = await send(patch, base.current.version);
        return;
      } catch (error) {
        if (!here.current) writeDraft(member, name, { base: base.current, patch: unsent(patch) } satisfies Waiting<R, P>);
        if (!isStale(error)) throw error;
        const latest = await read();
        const mine = patch as Record<string, unknown>;
        const before = base.current as Record<string, unknown>;
        const other = latest as Record<string, unknown>;
        const clash = Object.keys(mine).some(
          (field) => !isSameValue(other[field], before[field]) && !isSameValue(other[field], mine[field]),
        );
        if (!clash) {
          base.current = latest;
          if (here.current) adopt(latest, unsent(patch));
          else writeDraft(member, name, undefined);
          continue;
        }
        if (here.current) setTheirs(latest);
        throw error;
      }
    }
  }, options.delay);

  const unsent = (patch: P): Partial<P> => ({ ...patch, ...pending() });

  // Others' changes come in by themselves while nothing of ours is under way.
  useEffect(() => {
    if (isDirty() || record.version <= base.current.version || now.current.holds?.()) return;
    base.current = record;
    now.current.adopt(record, {});
  }, [record, isDirty]);
  useEffect(() => {
    here.current = true;
    const waiting = readDraft<Waiting<R, P>>(member, name);
    if (waiting) {
      writeDraft(member, name, undefined);
      base.current = waiting.base;
      now.current.adopt(waiting.base, waiting.patch);
      change(waiting.patch, true);
    }
    return () => {
      here.current = false;
    };
  }, [member, name, change]);

  const choose = useCallback(
    (patch: Partial<P>) => {
      if (!theirs) return;
      drop();
      base.current = theirs;
      setTheirs(undefined);
      now.current.adopt(theirs, patch);
      if (Object.keys(patch).length > 0) change(patch, true);
    },
    [theirs, drop, change],
  );

  return {
    ...autosave,
    change,
    drop,
    isDirty,
    /** The other version where both changed the same, and what was changed from. */
    clash: theirs && { base: base.current, theirs },
    /** Keeps these of one's own changes, and takes the others' for the rest. */
    choose,
    /** Asks later; what was typed stays on the screen. */
    close: () => setTheirs(undefined),
  };
}
