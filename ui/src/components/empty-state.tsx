import type { LucideIcon } from "lucide-react";
import type { ReactNode } from "react";
import { cx } from "@/lib/cx";

export interface EmptyStateProps {
  icon: LucideIcon;
  title: string;
  text?: string;
  /** The button for the first step. */
  action?: ReactNode;
  className?: string;
}

/** Shown instead of an empty list: what is missing, and what to do. */
export function EmptyState({ icon: Icon, title, text, action, className }: EmptyStateProps) {
  return (
    <div className={cx("flex flex-col items-center px-6 py-12 text-center", className)}>
      <span className="grid size-14 place-items-center rounded-full bg-tint text-on-tint">
        <Icon aria-hidden size={26} />
      </span>
      <p className="mt-4 text-lg font-semibold text-ink">{title}</p>
      {text && <p className="mt-1 max-w-80 text-muted">{text}</p>}
      {action && <div className="mt-5">{action}</div>}
    </div>
  );
}
