import { type ReactNode, useId } from "react";
import { cx } from "@/lib/cx";

export interface StepProps {
  /** Its place among the steps; other parts of the page have none. */
  number?: number;
  title: string;
  subtitle?: ReactNode;
  actions?: ReactNode;
  /** Whether the heading takes the focus when the step replaces the focused element. */
  refocus?: boolean;
  className?: string;
  children: ReactNode;
}

/** A step of an import. */
export function Step({ number, title, subtitle, actions, refocus, className, children }: StepProps) {
  const id = useId();
  return (
    <section aria-labelledby={id} className="min-w-0 overflow-clip rounded-2xl border border-line bg-surface shadow-card">
      <header className="flex flex-wrap items-start gap-x-3 gap-y-2 px-5 pt-5 pb-3.5">
        {number !== undefined && (
          <span
            aria-hidden
            className="grid size-7 shrink-0 place-items-center rounded-full bg-tint text-sm font-semibold text-on-tint tabular-nums"
          >
            {number}
          </span>
        )}
        <div className="min-w-0 flex-1 basis-40">
          <h2
            id={id}
            {...(refocus && { tabIndex: -1, "data-refocus": true })}
            className="text-lg font-bold tracking-[-.01em] text-ink outline-none [overflow-wrap:anywhere]"
          >
            {title}
          </h2>
          {subtitle && <div className="text-sm text-muted">{subtitle}</div>}
        </div>
        {actions}
      </header>
      <div className={cx("min-w-0", className)}>{children}</div>
    </section>
  );
}
