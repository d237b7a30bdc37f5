import { useEffect, useRef, useState } from "react";
import type { FieldValues, UseFormReturn } from "react-hook-form";

function read<T>(key: string): T | undefined {
  try {
    const text = sessionStorage.getItem(key);
    return text ? (JSON.parse(text) as T) : undefined;
  } catch {
    return undefined;
  }
}

function write(key: string, value: unknown) {
  try {
    if (value === undefined) sessionStorage.removeItem(key);
    else sessionStorage.setItem(key, JSON.stringify(value));
  } catch {
    // Without storage a draft lasts as long as the page.
  }
}

/** Keeps what is being typed through a reload or a lost session: per member, record and browser tab. */
export function useFormDraft<T extends FieldValues>(form: UseFormReturn<T>, member: string, name: string) {
  const key = `atrium.draft.${member}.${name}`;
  const [restored, setRestored] = useState(false);
  const closed = useRef(false);
  const { reset, subscribe } = form;
  useEffect(() => {
    const draft = read<T>(key);
    if (!draft) return;
    reset(draft, { keepDefaultValues: true });
    setRestored(true);
  }, [key, reset]);
  useEffect(
    () =>
      subscribe({
        formState: { values: true, isDirty: true },
        callback: ({ values, isDirty }) => {
          if (!closed.current) write(key, isDirty === false ? undefined : values);
        },
      }),
    [key, subscribe],
  );
  return {
    /** Whether what the form shows came from a draft. */
    restored,
    /** Forgets the draft: what was typed is saved, or thrown away. */
    drop: () => {
      closed.current = true;
      write(key, undefined);
      setRestored(false);
    },
    /** Goes back to what is stored, and keeps drafts from then on. */
    discard: () => {
      write(key, undefined);
      setRestored(false);
      reset();
    },
  };
}
