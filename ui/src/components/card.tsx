import type { ComponentProps, ReactNode } from "react";
import { cx } from "@/lib/cx";

export interface CardProps extends Omit<ComponentProps<"section">, "title"> {
  title?: ReactNode;
  subtitle?: ReactNode;
  actions?: ReactNode;
  /** No padding: for tables and lists that reach the edge. */
  flush?: boolean;
}

export function Card({ title, subtitle, actions, flush, className, children, ...rest }: CardProps) {
  return (
    <section
      className={cx("min-w-0 rounded-2xl border border-line bg-surface shadow-card", flush ? "overflow-clip" : "p-5", className)}
      {...rest}
    >
      {(title || actions) && (
        <header className={cx("flex flex-wrap items-start justify-between gap-x-4 gap-y-2", flush ? "px-5 pt-5 pb-3.5" : "mb-3.5")}>
          <div className="min-w-0">
            {title && <h2 className="text-lg font-bold tracking-[-.01em] text-ink">{title}</h2>}
            {subtitle && <p className="text-sm text-muted">{subtitle}</p>}
          </div>
          {actions}
        </header>
      )}
      {children}
    </section>
  );
}
