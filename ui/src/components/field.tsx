import { CircleAlert } from "lucide-react";
import { type ReactNode, type Ref, useEffect, useState } from "react";
import { cx } from "@/lib/cx";
import { afterPress, isPressing } from "@/lib/press";

/** The classes of text inputs. */
export const inputClass =
  "touchable block w-full h-10.5 rounded-control border border-line-strong bg-surface px-3 text-base text-body shadow-control placeholder:text-muted transition-colors hover:border-gray-400 focus:border-primary focus:outline-2 focus:-outline-offset-1 focus:outline-primary [&[readonly]]:bg-sunken disabled:bg-sunken disabled:text-muted aria-invalid:border-bad aria-invalid:focus:outline-bad";

/** The classes of a button within a text input, without its place. */
export const fieldButtonClass =
  "absolute grid cursor-pointer place-items-center rounded-lg text-muted hover:bg-hover hover:text-ink pointer-coarse:top-0 pointer-coarse:size-11";

export interface FieldProps {
  label: string;
  hint?: string | undefined;
  error?: string | undefined;
  /** Keeps the label for screen readers only. */
  hideLabel?: boolean;
  className?: string | undefined;
}

/** What a field takes whose typed text is parsed. */
export interface ParsedFieldProps<T> extends FieldProps {
  value: T;
  onChange: (value: T) => void;
  /** Receives whether the typed text is invalid; the value is then still the one before it. */
  onWrong?: (isWrong: boolean) => void;
  ref?: Ref<HTMLInputElement>;
}

/** Marks a required field; screen readers learn it from the field itself. */
export const requiredMark = (
  <span aria-hidden className="text-bad">
    {" *"}
  </span>
);

/** Returns an error, which a press that is under way does not let come or go: the press would miss what it aims at. */
function useHeldError(error: string | undefined) {
  const [shown, setShown] = useState(error);
  useEffect(() => afterPress(() => setShown(error)), [error]);
  return isPressing() ? shown : error;
}

/** The height of a line of the note. The free space below a field has room for a part of it. */
const reservedLine = "-mb-2.5 min-h-5";

/** A field's error, or else its hint; with `reserved`, the place of the error is always there. */
export function FieldNote({
  id,
  hint,
  error,
  reserved = false,
}: Pick<FieldProps, "hint" | "error"> & { id: string; reserved?: boolean | undefined }) {
  const shown = useHeldError(error);
  const line = cx("mt-1.5", reserved && reservedLine);
  if (shown) {
    return (
      <p id={id} className={cx(line, "flex gap-1.5 text-sm text-bad")}>
        <CircleAlert aria-hidden size={16} className="mt-0.5 shrink-0" />
        {shown}
      </p>
    );
  }
  if (hint) {
    return (
      <p id={id} className={cx(line, "text-sm text-muted")}>
        {hint}
      </p>
    );
  }
  return reserved ? <div className={line} /> : null;
}

/** A form field: label above, hint or error below. */
export function Field({
  id,
  label,
  hint,
  error,
  hideLabel,
  required,
  className,
  children,
}: FieldProps & { id: string; required?: boolean | undefined; children: ReactNode }) {
  return (
    <div className={cx("min-w-0", className)}>
      <label htmlFor={id} className={hideLabel ? "sr-only" : "mb-1.5 block text-sm font-medium text-gray-700"}>
        {label}
        {required && requiredMark}
      </label>
      {children}
      <FieldNote id={`${id}-note`} hint={hint} error={error} reserved={required && !hideLabel} />
    </div>
  );
}

/** Returns the attributes that tie an input to its label and note. */
export function fieldAttributes(id: string, { hint, error }: Pick<FieldProps, "hint" | "error">) {
  return {
    id,
    "aria-invalid": error ? true : undefined,
    "aria-describedby": error || hint ? `${id}-note` : undefined,
  } as const;
}
