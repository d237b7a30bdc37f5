import type { FieldPath, FieldValues, UseFormSetError } from "react-hook-form";
import { ApiError } from "@/api/errors";

/**
 * Shows the server's validation errors at their fields and focuses the first. `rename` maps a path of the body to a
 * form field, undefined if there is none. Returns whether every error has a field, so that the others can be shown
 * elsewhere.
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
