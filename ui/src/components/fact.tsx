import type { LucideIcon } from "lucide-react";
import type { ReactNode } from "react";

/** One property of a record in a `dl`, with an icon. */
export function Fact({ icon: Icon, label, children }: { icon: LucideIcon; label: string; children: ReactNode }) {
  return (
    <div className="flex gap-3.5">
      <dt className="mt-0.5 shrink-0 text-muted" title={label}>
        <Icon aria-hidden size={18} />
        <span className="sr-only">{label}</span>
      </dt>
      <dd className="min-w-0 flex-1">{children}</dd>
    </div>
  );
}
