import { useCallback, useEffect, useRef, useState } from "react";

export type SaveState = "idle" | "waiting" | "saving" | "saved" | "failed";

/** Milliseconds after the last change until it is saved, where the caller states no `delay`. */
const autosaveDelayMs = 400;

/**
 * Saves changes automatically, a moment after the last one: one request at a time, with changes made during it kept for
 * the next. Failed changes are sent again with the next attempt.
 */
export function useAutosave<P extends object>(save: (patch: P) => Promise<unknown>, delay = autosaveDelayMs) {
  const [state, setState] = useState<SaveState>("idle");
  const [error, setError] = useState<unknown>();
  const pending = useRef<Partial<P> | undefined>(undefined);
  const busy = useRef<Promise<void> | undefined>(undefined);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const call = useRef(save);
  call.current = save;

  const flush = useCallback((): Promise<void> => {
    clearTimeout(timer.current);
    timer.current = undefined;
    if (busy.current) return busy.current;
    const patch = pending.current;
    if (!patch) return Promise.resolve();
    pending.current = undefined;
    setState("saving");
    busy.current = call
      .current(patch as P)
      .then(
        () => {
          setError(undefined);
          setState(pending.current ? "waiting" : "saved");
        },
        (reason: unknown) => {
          pending.current = { ...patch, ...pending.current };
          setError(reason);
          setState("failed");
          return "failed" as const;
        },
      )
      .then((outcome) => {
        busy.current = undefined;
        // Changes made during the request are sent at once: the member has waited already.
        if (outcome !== "failed" && pending.current) return flush();
        return undefined;
      });
    return busy.current;
  }, []);

  const change = useCallback(
    (patch: Partial<P>, now = false) => {
      pending.current = { ...pending.current, ...patch };
      clearTimeout(timer.current);
      if (now) void flush();
      else {
        setState((before) => (before === "saving" ? before : "waiting"));
        timer.current = setTimeout(() => void flush(), delay);
      }
    },
    [delay, flush],
  );

  // Leaving the screen must not lose the last changes.
  useEffect(() => () => void flush(), [flush]);
  useEffect(() => {
    const ask = (event: BeforeUnloadEvent) => {
      if (!pending.current && !busy.current) return;
      void flush();
      event.preventDefault();
    };
    // A hidden page may be closed without a further event. Changes that failed wait for the next attempt.
    const save = () => {
      if (document.visibilityState === "hidden" && timer.current !== undefined) void flush();
    };
    addEventListener("beforeunload", ask);
    document.addEventListener("visibilitychange", save);
    return () => {
      removeEventListener("beforeunload", ask);
      document.removeEventListener("visibilitychange", save);
    };
  }, [flush]);

  /** Drops unsent changes: the record was deleted, or replaced by the other version. */
  const drop = useCallback(() => {
    clearTimeout(timer.current);
    timer.current = undefined;
    pending.current = undefined;
    setError(undefined);
    setState("idle");
  }, []);
  return {
    state,
    error,
    change,
    flush,
    drop,
    isDirty: () => pending.current !== undefined || busy.current !== undefined,
    /** The changes that are not sent yet. */
    pending: () => pending.current,
  };
}
