import { useCallback, useEffect, useEffectEvent, useRef, useState } from "react";
import { readDraft, writeDraft } from "@/lib/drafts";
import { property } from "@/lib/property";
import { undo } from "@/lib/undo";
import { isSameValue, isStale } from "@/records/conflicts";
import type { CreatedKind } from "@/records/kinds";
import { fieldLabels, undoChange } from "@/records/undo-change";
import { useAutosave } from "@/records/use-autosave";
import type { Versioned } from "@/records/use-conflict";

export interface VersionedAutosaveOptions<R extends Versioned, P extends object> {
  kind: CreatedKind;
  /** The server's latest known version. */
  record: R;
  /** The member and the name under which unsaved changes are stored. */
  member: string;
  name: string;
  send: (patch: P, version: number) => Promise<R>;
  /** Reads the current record. */
  read: () => Promise<R>;
  /** Shows the record as others changed it, with the changes made here. */
  adopt: (record: R, patch: Partial<P>) => void;
  /** Compares two values of a field; without it, `isSameValue`. */
  isSame?: (a: unknown, b: unknown) => boolean;
  /** Whether changes by others must wait. */
  holds?: () => boolean;
  /** Names the fields of a change that is undone; without it, `fieldLabels`. */
  labelsOf?: (fields: string[]) => string;
  /** Milliseconds after the last change; without it, `autosaveDelayMs`. */
  delay?: number;
}

interface Waiting<R, P> {
  base: R;
  patch: Partial<P>;
}

/**
 * Saves changes automatically over the version that they were made to. Changes of others to other fields are merged; if
 * both changed the same field, the member chooses: at once when they wait for the save, otherwise when they ask, since
 * they may be typing. Unsaved changes are a draft, which is sent again when the record is opened the next time.
 */
export function useVersionedAutosave<R extends Versioned, P extends object>(options: VersionedAutosaveOptions<R, P>) {
  const { kind, record, member, name } = options;
  const base = useRef(record);
  const [theirs, setTheirs] = useState<R>();
  const latestOptions = useRef(options);
  latestOptions.current = options;
  const isMounted = useRef(true);
  /** Whether the member waits for the save, and so is not typing. */
  const isAwaited = useRef(false);
  /** The changes that are being sent. */
  const sent = useRef<P | undefined>(undefined);
  const keep = (patch: Partial<P>) => writeDraft(member, name, { base: base.current, patch } satisfies Waiting<R, P>);
  const forget = useCallback(() => writeDraft(member, name, undefined), [member, name]);

  const { change, drop, flush, isDirty, pending, ...autosave } = useAutosave<P>(async (patch) => {
    const { send, read, adopt, isSame = isSameValue } = latestOptions.current;
    for (;;) {
      try {
        sent.current = patch;
        const known = base.current as Record<string, unknown>;
        base.current = await send(patch, base.current.version);
        sent.current = undefined;
        forget();
        noteAct(patch, Object.fromEntries(Object.keys(patch).map((field) => [field, known[field] ?? null])) as P);
        return;
      } catch (error) {
        sent.current = undefined;
        keep(withPending(patch));
        if (!isStale(error)) throw error;
        const latest = await read();
        const mine = patch as Record<string, unknown>;
        const before = base.current as Record<string, unknown>;
        const other = latest as Record<string, unknown>;
        const unlike = Object.keys(mine).filter((field) => !isSame(other[field], mine[field]));
        if (!unlike.some((field) => !isSame(other[field], before[field]))) {
          base.current = latest;
          if (isMounted.current) adopt(latest, withPending(patch));
          if (unlike.length > 0) continue;
          // The member's own save, whose answer was lost with the page that sent it.
          return forget();
        }
        if (isMounted.current && isAwaited.current) setTheirs(latest);
        throw error;
      }
    }
  }, options.delay);

  /** The newest act of undo, with what it puts back. */
  const act = useRef<{ id: string; before: P } | undefined>(undefined);
  /** Lets a save be undone. What is typed in one go is one act. */
  const noteAct = (patch: P, before: P) => {
    const { send, read, isSame = isSameValue, labelsOf = (names) => fieldLabels(kind, names) } = latestOptions.current;
    const fields = (of: object) => Object.keys(of).join();
    const last = act.current;
    const goesOn = !isAwaited.current && last && undo.isLast(last.id) && fields(last.before) === fields(patch);
    const former = goesOn ? last.before : before;
    if (goesOn) undo.remove(last.id);
    const putBack = async (latest: R) => {
      const restored = await send(former, latest.version);
      if (!isMounted.current || isDirty()) return;
      base.current = restored;
      latestOptions.current.adopt(restored, {});
    };
    act.current = { id: `${name}.${base.current.version}`, before: former };
    const isUnchanged = (latest: R) => Object.entries(patch).every(([field, value]) => isSame(property(latest, field), value));
    undo.add(act.current.id, () => void undoChange({ read, isUnchanged, putBack, labels: labelsOf(Object.keys(patch)) }));
  };

  const withPending = (patch: P): Partial<P> => ({ ...patch, ...pending() });

  // Changes by others are adopted while this tab has none under way.
  useEffect(() => {
    if (isDirty() || record.version <= base.current.version || latestOptions.current.holds?.()) return;
    base.current = record;
    latestOptions.current.adopt(record, {});
  }, [record, isDirty]);
  useEffect(() => {
    isMounted.current = true;
    const waiting = readDraft<Waiting<R, P>>(member, name);
    if (waiting) {
      base.current = waiting.base;
      latestOptions.current.adopt(waiting.base, waiting.patch);
      isAwaited.current = true;
      change(waiting.patch, true);
    }
    return () => {
      isMounted.current = false;
    };
  }, [member, name, change]);
  // A page that is left may not live to hear whether the last changes were saved.
  const keepUnsaved = useEffectEvent(() => {
    if (isDirty()) keep({ ...sent.current, ...pending() } as Partial<P>);
  });
  useEffect(() => {
    const leave = () => keepUnsaved();
    addEventListener("pagehide", leave);
    return () => removeEventListener("pagehide", leave);
  }, []);

  const choose = useCallback(
    (patch: Partial<P>) => {
      if (!theirs) return;
      drop();
      forget();
      base.current = theirs;
      setTheirs(undefined);
      latestOptions.current.adopt(theirs, patch);
      if (Object.keys(patch).length > 0) change(patch, true);
    },
    [theirs, drop, forget, change],
  );

  return {
    ...autosave,
    /** Saves a moment after the last change, or `now`, when the member waits for it. */
    change: (patch: Partial<P>, now = false) => {
      isAwaited.current = now;
      change(patch, now);
    },
    /** Saves at once, and asks about a conflict. */
    flush: () => {
      isAwaited.current = true;
      return flush();
    },
    /** Drops unsaved changes: the record was deleted. */
    drop: () => {
      drop();
      forget();
    },
    isDirty,
    /** Whether someone else changed a field of the record that the changes are made to; that change waits. */
    isChangedElsewhere: (field: keyof R & string) => {
      const known = base.current;
      return !isDirty() && record.version > known.version && !(options.isSame ?? isSameValue)(record[field], known[field]);
    },
    /** The other version and the common base, if both changed the same field. */
    conflict: theirs && { base: base.current, theirs },
    /** Keeps the given fields of the member's changes, and the others' version of the rest. */
    choose,
    /** Postpones the choice; the typed text stays on the screen. */
    close: () => setTheirs(undefined),
  };
}
