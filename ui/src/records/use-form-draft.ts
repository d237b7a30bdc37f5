import { useEffect, useRef, useState } from "react";
import type { FieldValues, UseFormReturn } from "react-hook-form";
import { forgetDraft, readDraft, writeDraft } from "@/lib/drafts";

/**
 * Keeps typed input through a reload or a lost session, per member, record and browser tab. It stores all values of the
 * form, `data-secret` or not: a form with a password or another secret must not use it.
 */
export function useFormDraft<T extends FieldValues>(form: UseFormReturn<T>, member: string, name: string) {
  const [restored, setRestored] = useState(false);
  const closed = useRef(false);
  const { reset, subscribe } = form;
  useEffect(() => {
    const draft = readDraft<T>(member, name);
    if (!draft) return;
    reset(draft, { keepDefaultValues: true });
    setRestored(true);
  }, [member, name, reset]);
  useEffect(
    () =>
      subscribe({
        formState: { values: true, isDirty: true },
        callback: ({ values, isDirty }) => {
          if (!closed.current) writeDraft(member, name, isDirty === false ? undefined : values);
        },
      }),
    [member, name, subscribe],
  );
  return {
    /** Whether the form shows a draft. */
    restored,
    /** Deletes the draft, after it was saved or discarded. */
    finish: () => {
      closed.current = true;
      forgetDraft(member, name);
      setRestored(false);
    },
    /** Restores the stored values; later input makes a new draft. */
    revert: () => {
      forgetDraft(member, name);
      setRestored(false);
      reset();
    },
  };
}
