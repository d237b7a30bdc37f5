import { useCallback, useEffect, useRef, useState } from "react";

export type SaveState = "idle" | "waiting" | "saving" | "saved" | "failed";

/**
 * Saves changes by themselves, a moment after the last one: one request at a time, what comes in
 * between gathers for the next. What failed is kept and goes along with the next try.
 */
export function useAutosave<P extends object>(save: (patch: P) => Promise<unknown>, delay = 400) {
  const [state, setState] = useState<SaveState>("idle");
  const [error, setError] = useState<unknown>();
  const pending = useRef<Partial<P> | undefined>(undefined);
  const busy = useRef<Promise<void> | undefined>(undefined);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const call = useRef(save);
  call.current = save;

  const flush = useCallback((): Promise<void> => {
    clearTimeout(timer.current);
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
        // What was changed meanwhile goes at once: the person has waited already.
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

  // Leaving the screen is no reason to lose the last words.
  useEffect(() => () => void flush(), [flush]);
  useEffect(() => {
    const ask = (event: BeforeUnloadEvent) => {
      if (!pending.current && !busy.current) return;
      void flush();
      event.preventDefault();
    };
    addEventListener("beforeunload", ask);
    return () => removeEventListener("beforeunload", ask);
  }, [flush]);

  /** Forgets what has not been sent yet: its record is gone, or was taken as others have it. */
  const drop = useCallback(() => {
    clearTimeout(timer.current);
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
    /** What has not been sent yet. */ pending: () => pending.current,
  };
}
