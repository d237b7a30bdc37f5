import { useState } from "react";
import type { FieldValues, UseFormReturn } from "react-hook-form";
import { showFieldErrors } from "@/records/form-errors";

/** Submits a form, one request at a time; field errors are shown at their fields, others are in `failure`. */
export function useSubmit<T extends FieldValues>(form: UseFormReturn<T>, fields: (keyof T & string)[], send: (values: T) => Promise<void>) {
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<unknown>();
  const run = form.handleSubmit(async (values) => {
    if (busy) return;
    setBusy(true);
    setFailure(undefined);
    try {
      await send(values);
    } catch (error) {
      const placed = showFieldErrors(error, form.setError, (path) => (fields.includes(path) ? path : undefined));
      if (!placed) setFailure(error);
    } finally {
      setBusy(false);
    }
  });
  return { busy, failure, submit: (event: React.FormEvent) => void run(event) };
}
