import type { LucideIcon } from "lucide-react";
import type { ReactNode } from "react";
import { cx } from "@/lib/cx";

export interface FactProps {
  icon: LucideIcon;
  label: string;
  /** How it is displayed. */
  className?: string;
  children: ReactNode;
}

/** One property of a record in a `dl`, with an icon. */
export function Fact({ icon: Icon, label, className = "flex", children }: FactProps) {
  return (
    <div className={cx("gap-3.5", className)}>
      <dt className="mt-0.5 shrink-0 text-muted" title={label}>
        <Icon aria-hidden size={18} />
        <span className="sr-only">{label}</span>
      </dt>
      <dd className="min-w-0 flex-1">{children}</dd>
    </div>
  );
}
