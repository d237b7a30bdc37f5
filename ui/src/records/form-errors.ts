import type { FieldPath, FieldValues, UseFormSetError } from "react-hook-form";
import { ApiError } from "@/api/errors";

/**
 * Puts what the server found wrong at the fields it concerns, and the focus to the first. `rename`
 * maps a path of the body to a field of the form, undefined where there is none. Answers whether
 * every complaint found its place, so that the rest can be said elsewhere.
 */
export function showFieldErrors<T extends FieldValues>(
  error: unknown,
  setError: UseFormSetError<T>,
  rename: (path: string) => string | undefined = (path) => path,
): boolean {
  const fields = error instanceof ApiError ? Object.entries(error.fields) : [];
  let focused = false;
  let placed = 0;
  for (const [path, message] of fields) {
    const name = rename(path);
    if (!name) continue;
    setError(name as FieldPath<T>, { type: "server", message }, { shouldFocus: !focused });
    focused = true;
    placed += 1;
  }
  return fields.length > 0 && placed === fields.length;
}
